import type { StoredMessage } from './stored.ts'
import type { Arrival } from './vendor.ts'

/** Everything that is known about one platform after the last kill. */
export interface Lane {
  readonly platform: string
  /** Whether the platform recognises a repeated send. */
  readonly keys: boolean
  /** In the order in which they were said. */
  readonly accepted: readonly string[]
  readonly stored: readonly StoredMessage[]
  readonly arrivals: readonly Arrival[]
  /** What tools wrote down, one line for each run. */
  readonly lines: readonly string[]
}

export interface Verdict {
  readonly platform: string
  readonly keys: boolean
  readonly accepted: number
  readonly answeredOnce: number
  /** Among those answered: with an apology, after three crashes. */
  readonly givenUp: number
  readonly unknown: number
  /** Parts of answers: each is one mark that a person sees. */
  readonly unknownParts: number
  readonly doubles: number
  readonly lost: number
  readonly outOfOrder: number
  readonly toolLines: number
  readonly toolsTwice: number
  /** What was found about each message that is neither answered once nor unknown, and each arrival that answers nothing. */
  readonly details: readonly string[]
}

/** Counts what became of every accepted message. */
export function judgeLane({ platform, keys, accepted, stored, arrivals, lines }: Lane): Verdict {
  const byId = new Map(stored.map((message) => [message.id, message]))
  const count = { answeredOnce: 0, unknown: 0, doubles: 0, lost: 0 }
  const details = arrivals.filter(({ answers }) => !byId.has(answers ?? '')).map(({ text }) => `answers nothing: ${text}`)
  for (const id of accepted) {
    const outcome = judgeMessage(byId.get(id), arrivals)
    count[outcome.is] += 1
    count.doubles += outcome.doubles
    if (outcome.is === 'lost' || outcome.doubles > 0) details.push(`${id}: ${JSON.stringify(byId.get(id))}`)
  }
  return {
    platform,
    keys,
    accepted: accepted.length,
    ...count,
    unknownParts: stored.flatMap(({ parts }) => parts).filter(({ state }) => state === 'unknown').length,
    givenUp: stored.filter(({ state }) => state === 'failed').length,
    outOfOrder: countOutOfOrder(accepted, arrivals),
    toolLines: lines.length,
    toolsTwice: lines.length - new Set(lines).size,
    details,
  }
}

interface Outcome {
  readonly is: 'answeredOnce' | 'unknown' | 'lost'
  readonly doubles: number
}

function judgeMessage(message: StoredMessage | undefined, arrivals: readonly Arrival[]): Outcome {
  if (!message || message.parts.length === 0) return { is: 'lost', doubles: 0 }
  let doubles = 0
  let is: Outcome['is'] = 'answeredOnce'
  for (const { part, state } of message.parts) {
    const times = arrivals.filter((arrival) => arrival.answers === message.id && arrival.part === part).length
    doubles += Math.max(0, times - 1)
    if (state === 'unknown') is = is === 'lost' ? is : 'unknown'
    else if (state !== 'sent' || times === 0) is = 'lost'
  }
  return { is, doubles }
}

/** Arrivals that came behind a later one of their conversation. */
function countOutOfOrder(accepted: readonly string[], arrivals: readonly Arrival[]): number {
  const places = new Map(accepted.map((id, place) => [id, place]))
  const latest = new Map<string, number>()
  let wrong = 0
  for (const { answers = '', conversation, part } of arrivals) {
    const place = (places.get(answers) ?? -1) + part / 1000
    const before = latest.get(conversation) ?? -1
    if (place < before) wrong += 1
    latest.set(conversation, Math.max(before, place))
  }
  return wrong
}
