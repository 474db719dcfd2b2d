import type { ToolContext } from './context.ts'
import type { Blob, Call, Wire, WireError } from './wire.ts'

/** One call of a tool. The host has validated `args` against the manifest and asked for approval where the manifest's guards demand it. */
export interface ToolCall<A = unknown> {
  readonly id: string
  readonly args: A
  readonly session: string
  readonly turn: string
  /** Absolute path of the folder that the agent works in. */
  readonly workspace: string
  /** A note for the person who watches; nothing waits for it. */
  progress(text: string): void
  /** Asks the person; rejects with NOBODY_TO_ASK where no one can answer. Needs the host permission `clarify`. */
  ask(question: { readonly question: string; readonly choices: readonly string[] }): Promise<string>
}

/** A tool does not throw for an ordinary failure: that is a result, with a sentence for the model. */
export type ToolResult =
  | { readonly ok: true; readonly text: string; readonly media?: readonly Blob[]; readonly data?: Wire }
  | { readonly ok: false; readonly error: WireError; readonly text?: string }

export type ToolRun<A = unknown> = (toolCall: ToolCall<A>, call: Call) => Promise<ToolResult>

/** Default export of a toolset's entry file. */
export interface Toolset<C = unknown> {
  open(context: ToolContext<C>, call: Call): Promise<OpenToolset>
}

export interface OpenToolset {
  /** Exactly the tools that the manifest declares. */
  readonly tools: { readonly [name: string]: ToolRun<never> }
}
