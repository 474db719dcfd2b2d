import type { Exit } from './exit-words.ts'
import type { Rolling } from './output.ts'
import type { Running } from './start-command.ts'

/** A process in the background. */
export interface BackgroundProcess {
  readonly id: string
  readonly pid: number
  readonly session: string
  readonly command: string
  readonly startedAt: number
  readonly running: Running
  readonly output: Rolling
  /** How far its output was shown. */
  shown: number
  /** How many calls wait for its end: they tell it to the model. */
  awaited: number
  exit?: Exit
  /** Resolves when it has ended. */
  readonly ended: Promise<void>
}
