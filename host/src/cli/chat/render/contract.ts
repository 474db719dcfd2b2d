import type { TurnEvent } from '@agent/plugin-sdk'
import type { ShownQuestion } from './question-rows.ts'

/** What a turn looks like on the screen of a person. */
export interface TurnView {
  /** Takes an event. The lines are finished: they go above what changes, once. One of them is wider than the screen where a word or a line of code is. */
  take(event: TurnEvent): readonly string[]
  /** A question as finished lines, without the ways to answer it. */
  ask(question: ShownQuestion): readonly string[]
  /** What is not finished: drawn below the finished lines, and drawn again. None of it is wider than the screen. */
  tail(): readonly string[]
}

export interface TurnViewOptions {
  readonly columns: () => number
  readonly colour: boolean
  readonly showReasoning: () => boolean
}

/** A text that comes in pieces, as lines of the screen. */
export interface TextStream {
  /** Takes a piece; answers the lines that it finished. */
  push(text: string): readonly string[]
  /** What is not finished yet, as it would look if nothing more came. */
  tail(): readonly string[]
  /** The last lines; another text may begin after them. */
  end(): readonly string[]
}
