import type { Context } from './context.ts'
import type { Call } from './wire.ts'

/** Default export of an entry file of commands. */
export interface Commands<C = unknown> {
  open(context: Context<C>, call: Call): Promise<OpenCommands>
}

export interface OpenCommands {
  /** Runs each declared command that has no prompt. Rejects with a coded error. */
  run(request: CommandRequest, call: Call): Promise<CommandAnswer>
}

/** A command that somebody gave. */
export interface CommandRequest {
  /** As it is declared, also where an alias was written. */
  readonly name: string
  /** What was written behind the name, without the spaces around it. */
  readonly args: string
  /** `cli`: at the terminal. `gateway`: in a conversation on a platform. */
  readonly surface: 'cli' | 'gateway'
  /** The session that is going on; absent before its first message. */
  readonly session?: string
}

export interface CommandAnswer {
  /** Markdown, as the agent writes it; nothing is said where it is empty. */
  readonly text: string
}
