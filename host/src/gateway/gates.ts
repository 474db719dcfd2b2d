import type { InboundMessage } from '@agent/plugin-sdk'
import { type AccessOptions, findGround, hasList } from './authorise/find-ground.ts'

export type StrangerRule = 'pair' | 'ignore'

export interface GateOptions extends AccessOptions {
  /** What config.yaml says about strangers, for this platform and for all. */
  readonly strangers: { readonly here: StrangerRule | undefined; readonly everywhere: StrangerRule }
  /** What the platform's manifest says about them. */
  readonly unknownSenders: StrangerRule
}

/** Why a message is not answered by the agent; `pass` when it is. A `stranger` may be offered a pairing code. */
export type Verdict = 'pass' | 'from-a-bot' | 'stranger' | 'not-allowed' | 'not-addressed'

/** What is asked of every message before the agent sees it. Everyone is a stranger until let in; a group must address the bot. */
export function judge(message: InboundMessage, options: GateOptions): Verdict {
  if (message.sender.isBot) return 'from-a-bot'
  const isDirect = message.conversation.kind === 'dm'
  if (findGround(message, options) === undefined) return isDirect && strangerRule(options) === 'pair' ? 'stranger' : 'not-allowed'
  return isDirect || message.addressed ? 'pass' : 'not-addressed'
}

/** Codes are offered where nothing speaks against it, or where the platform's own setting asks for them. */
function strangerRule(options: GateOptions): StrangerRule {
  const { here, everywhere } = options.strangers
  if (here !== undefined) return here
  return hasList(options) || options.unknownSenders === 'ignore' ? 'ignore' : everywhere
}
