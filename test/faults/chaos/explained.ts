import type { Disturbance } from '@agent/plugin-sdk/testing'
import { crashLimit } from '../judge.ts'

export interface Explanation {
  /** So many kills for each message. */
  readonly kills: number
  /** One of these for each message. */
  readonly disturbances: readonly Disturbance[]
}

/** What can cost a receipt. */
const lostReceipt: Explanation = { kills: 1, disturbances: ['cut', 'half-open', 'slow', 'error', 'garbage', 'lose-receipt'] }

/** What of the weather may end a message otherwise than with its right answer. Nothing explains a wrong, a second or a lost one. */
export const explained: Readonly<Record<'givenUp' | 'unknown' | 'leftPreview', Explanation>> = {
  /** With this very message in work. */
  givenUp: { kills: crashLimit, disturbances: [] },
  /** Where the platform does not recognise a repeated send. */
  unknown: lostReceipt,
  /** The same where an answer is shown while it is written: what nobody knows of cannot become the answer. */
  leftPreview: lostReceipt,
}
