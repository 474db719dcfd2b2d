import type { InboundMessage } from '@agent/plugin-sdk'

export interface GateOptions {
  /** Id of the platform's contribution. */
  readonly platform: string
  /** Reads an environment variable; the allowlists are there. */
  readonly variable: (name: string) => string | undefined
}

/** Why a message is not answered; `pass` when it is. */
export type Verdict = 'pass' | 'from-a-bot' | 'not-allowed' | 'not-addressed'

/** What is asked of every message before the agent sees it. Everyone is a stranger until listed; a group must address the bot. */
export function judge(message: InboundMessage, options: GateOptions): Verdict {
  if (message.sender.isBot) return 'from-a-bot'
  if (!isAllowed(message.sender.id, options)) return 'not-allowed'
  return message.conversation.kind === 'dm' || message.addressed ? 'pass' : 'not-addressed'
}

function isAllowed(sender: string, { platform, variable }: GateOptions): boolean {
  const prefix = platform.toUpperCase().replaceAll('-', '_')
  if (isOn(variable(`${prefix}_ALLOW_ALL_USERS`))) return true
  if (isListed(sender, variable(`${prefix}_ALLOWED_USERS`)) || isListed(sender, variable('GATEWAY_ALLOWED_USERS'))) return true
  return isOn(variable('GATEWAY_ALLOW_ALL_USERS'))
}

function isListed(sender: string, list: string | undefined): boolean {
  const names = (list ?? '').split(',').map((name) => name.trim())
  return names.includes('*') || names.some((name) => name !== '' && foldCase(name) === foldCase(sender))
}

/** ASCII letters only: other alphabets have letters that become ASCII in lower case, and names must not be forged with them. */
function foldCase(text: string): string {
  return text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && ['1', 'true', 'yes', 'on'].includes(value.toLowerCase())
}
