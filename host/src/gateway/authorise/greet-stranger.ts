import type { InboundMessage, Log } from '@agent/plugin-sdk'
import type { Pairing } from '../pairing/pairing.ts'

export interface GreetingOptions {
  readonly pairing: Pick<Pairing, 'offer'>
  /** Named in what the owner has to run. */
  readonly profile: string
  readonly log: Log
}

export type Greet = (platform: string, message: InboundMessage) => Promise<string | undefined>

const longestName = 64

/** Answers a stranger with their code, or with nothing. Neither their words nor what went wrong here is ever sent to them. */
export function createGreeting({ pairing, profile, log }: GreetingOptions): Greet {
  return async (platform, { id, account, sender, conversation }) => {
    try {
      const name = sender.name === undefined ? {} : { name: sender.name.slice(0, longestName) }
      const code = await pairing.offer(platform, { account, user: sender.id, message: id, conversation: conversation.id, ...name })
      return code === undefined ? undefined : formatGreeting({ platform, code, profile })
    } catch (error) {
      log.error('a stranger could not be offered a code', { platform, error: String(error) })
      return undefined
    }
  }
}

function formatGreeting({ platform, code, profile }: { platform: string; code: string; profile: string }): string {
  const agent = profile === 'default' ? 'agent' : `agent -p ${profile}`
  return `I do not know you yet: within an hour, ask my owner to run "${agent} pairing approve ${platform} ${code}".`
}
