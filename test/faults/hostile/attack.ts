import type { Answers, Target } from './target.ts'

/** What goes on after an attack is over: connections that stay open until the gateway ends them. */
export interface Notes {
  /** Answers of attacks that have several. */
  readonly answers: Answers
  /** Resolves when the gateway has ended what an attack has left open. */
  leave(ended: Promise<unknown>): void
}

/** A name, and what is done; answers with what came back where it is one thing. */
export type Attack = readonly [name: string, run: (target: Target, notes: Notes) => Promise<unknown>]
