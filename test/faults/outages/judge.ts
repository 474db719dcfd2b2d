/** One turn as it was seen from outside; times are milliseconds of the simulated day. */
export interface Seen {
  readonly token: string
  readonly right: string
  /** All deltas of text, joined. */
  readonly shown: string
  /** The text of the end. */
  readonly text: string
  readonly status: string
  /** Code of the error, if it ended in one. */
  readonly code: string | undefined
  readonly startedAt: number
  readonly endedAt: number
  /** Sentences that named another model. */
  readonly replaced: number
}

export interface Weathers {
  /** Whether the first service was well all the time between two moments, and rested no more. */
  isFirstWell(from: number, to: number): boolean
  /** Whether all services were well then. */
  isOneWell(from: number, to: number): boolean
}

export type Verdict = 'answered' | 'named error' | 'wrong' | 'doubled' | 'no end' | 'error without need' | 'not restored'

export function judgeTurn(seen: Seen, known: ReadonlySet<string>, { isFirstWell, isOneWell }: Weathers): Verdict {
  const { right, shown, text, status, code, startedAt, endedAt, replaced } = seen
  if (hasDoubles(shown) || hasDoubles(text)) return 'doubled'
  if (status === 'failed') {
    if (code === undefined || !known.has(code)) return 'no end'
    return isOneWell(startedAt, endedAt) ? 'error without need' : 'named error'
  }
  if (status !== 'complete') return 'no end'
  if (text !== right || shown !== right) return 'wrong'
  return replaced > 0 && isFirstWell(startedAt, endedAt) ? 'not restored' : 'answered'
}

function hasDoubles(text: string): boolean {
  const words = text.split(/\s+/).filter((word) => word !== '')
  return new Set(words).size < words.length
}
