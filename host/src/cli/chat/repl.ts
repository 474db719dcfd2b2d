import type { Cli } from '../console/cli.ts'
import type { ChatOptions } from './conversation/chat-options.ts'

/** Talks until the person leaves. */
export async function runRepl(cli: Cli, first: string, options: ChatOptions): Promise<void> {
  if (cli.terminal) return (await import('./terminal-chat.ts')).runTerminalChat(cli, first, options)
  return (await import('./line-chat.ts')).runLineChat(cli, first, options)
}
