import { missingMark } from '../../host/src/gateway/outbound/send-doubt.ts'
import { apology, plainWords, rightAnswers } from './right-answer.ts'
import type { StoredMessage } from './stored.ts'
import type { Arrival, Said } from './vendor.ts'

/** Everything that is known about one platform after the last kill. */
export interface Lane {
  readonly platform: string
  /** Whether the platform recognises a repeated send. */
  readonly keys: boolean
  /** In the order in which they were said. */
  readonly accepted: readonly Said[]
  readonly stored: readonly StoredMessage[]
  readonly arrivals: readonly Arrival[]
  /** What tools wrote down, one line for each run. */
  readonly lines: readonly string[]
  /** At how many kills a message was in work, by its id. */
  readonly crashes: ReadonlyMap<string, number>
}

/** What became of an accepted message; each has exactly one end. */
export type End = 'right' | 'wrong' | 'givenUp' | 'givenUpUnexplained' | 'unknown' | 'lost'

/** How many messages came to which end. */
export type Ends = Readonly<Record<End, number>>

export interface Verdict extends Ends {
  readonly platform: string
  readonly keys: boolean
  readonly accepted: number
  readonly unknownParts: number
  /** How often a person was told that an answer may be missing: at most once for each answer of which a part is unknown. */
  readonly marks: number
  readonly doubles: number
  readonly outOfOrder: number
  readonly toolLines: number
  readonly toolsTwice: number
  /** What was found about each message whose end breaks a promise, and each arrival that answers nothing. */
  readonly details: readonly string[]
}

/** A message that was in work at so many kills is given up, and no other. */
export const crashLimit = 3

export function noEnds(): Record<End, number> {
  return { right: 0, wrong: 0, givenUp: 0, givenUpUnexplained: 0, unknown: 0, lost: 0 }
}

/** Counts what became of every accepted message. Answers to nothing, and messages that nobody said, count as wrong too. */
export function judgeLane({ platform, keys, accepted, stored, arrivals: all, lines, crashes }: Lane): Verdict {
  // A mark is no answer; not every platform can say what it answers.
  const arrivals = all.filter((arrival) => !isMark(arrival))
  const byId = new Map(stored.map((message) => [message.id, message]))
  const said = new Set(accepted.map(({ id }) => id))
  const ends = noEnds()
  let doubles = 0
  const details = [
    ...all
      .filter((arrival) => !said.has(arrival.answers ?? '') && (arrival.answers !== undefined || !isMark(arrival)))
      .map(({ text }) => `answers nothing: ${text}`),
    ...stored.filter(({ id }) => !said.has(id)).map(({ id, text }) => `nobody said: ${id}: ${text}`),
    ...findMarksTooMany(all.filter(isMark), stored),
  ]
  ends.wrong += details.length
  for (const message of accepted) {
    const own = arrivals.filter(({ answers }) => answers === message.id)
    const found = judgeMessage({ said: message, stored: byId.get(message.id), arrivals: own, crashes: crashes.get(message.id) ?? 0 })
    ends[found.end] += 1
    doubles += found.doubles
    if (found.why !== undefined || found.doubles > 0) {
      details.push(`${message.id}: ${found.why ?? 'arrived twice'}: ${JSON.stringify([message.text, byId.get(message.id), own])}`)
    }
  }
  return {
    ...{ platform, keys, accepted: accepted.length, ...ends, doubles },
    ...{ unknownParts: countUnknownParts(stored), marks: all.length - arrivals.length },
    outOfOrder: countOutOfOrder(
      accepted.map(({ id }) => id),
      arrivals,
    ),
    ...{ toolLines: lines.length, toolsTwice: lines.length - new Set(lines).size, details },
  }
}

interface Evidence {
  readonly said: Said
  readonly stored: StoredMessage | undefined
  readonly arrivals: readonly Arrival[]
  readonly crashes: number
}

export interface Outcome {
  readonly end: End
  /** Absent where the end breaks no promise. */
  readonly why?: string
}

export const isMark = ({ text }: { readonly text: string }): boolean => plainWords(text) === missingMark

export function countUnknownParts(stored: readonly StoredMessage[]): number {
  return stored.flatMap(({ parts }) => parts).filter(({ state }) => state === 'unknown').length
}

/** Answers of which a part is unknown, or was for a while and was found later: there may be so many marks. */
export function countMarksDue(stored: readonly StoredMessage[]): number {
  return stored.filter(({ parts }) => parts.some(({ state, attempts }) => state === 'unknown' || attempts > 1)).length
}

/** Marks beyond those that are due: for the message that they answer, or in their conversation where a platform cannot say which that is. */
function findMarksTooMany(marks: readonly Arrival[], stored: readonly StoredMessage[]): readonly string[] {
  const nameOf = ({ answers, conversation }: Arrival): string => answers ?? conversation
  return [...new Set(marks.map(nameOf))].flatMap((name) => {
    const own = marks.filter((mark) => nameOf(mark) === name)
    const due = countMarksDue(stored.filter(({ id, conversation }) => (own[0]?.answers === undefined ? conversation : id) === name))
    return own.length > due ? [`${name}: ${own.length} marks, and ${due} due`] : []
  })
}

function judgeMessage(evidence: Evidence): Outcome & { readonly doubles: number } {
  const parts = evidence.stored?.parts ?? []
  const times = parts.map(({ part }) => evidence.arrivals.filter((arrival) => arrival.part === part).length)
  const doubles = times.reduce((sum, time) => sum + Math.max(0, time - 1), 0)
  const bad = judgeStored(evidence.said.text, evidence.stored, evidence.crashes) ?? judgeArrivals(evidence)
  if (bad) return { ...bad, doubles }
  if (parts.some(({ state }, index) => state !== 'unknown' && (state !== 'sent' || times[index] === 0)))
    return { end: 'lost', why: 'a part did not arrive', doubles }
  if (parts.some(({ state }) => state === 'unknown')) return { end: 'unknown', doubles }
  return { end: evidence.stored?.state === 'failed' ? 'givenUp' : 'right', doubles }
}

/** What a message is answered with by the journal, against what was said and seen: undefined where that is in order. */
export function judgeStored(said: string, stored: StoredMessage | undefined, crashes: number): Outcome | undefined {
  if (!stored) return { end: 'lost', why: 'it is not in the journal' }
  const givenUp = stored.state === 'failed'
  // A message is given up at its third crash, not before and not later.
  if (givenUp && crashes < crashLimit) return { end: 'givenUpUnexplained', why: `it was given up, and was in work at ${crashes} kills` }
  if (!givenUp && crashes >= crashLimit) return { end: 'wrong', why: `it was in work at ${crashes} kills and not given up` }
  if (stored.parts.length === 0) return { end: 'lost', why: `it is ${stored.state} without an answer` }
  const right = givenUp ? [apology] : rightAnswers(said, crashes > 0)
  const answer = plainWords(...stored.parts.map(({ text }) => text))
  return right.includes(answer)
    ? undefined
    : { end: 'wrong', why: `it was in work at ${crashes} kills, and its answer is not ${right.join(', or ')} but ${answer}` }
}

/** What arrived is what was to be sent, where the message was said. */
function judgeArrivals({ said, stored, arrivals }: Evidence): Outcome | undefined {
  const isAmiss = ({ part, text, conversation }: Arrival): boolean =>
    conversation !== said.conversation || plainWords(text) !== plainWords(stored?.parts.find((one) => one.part === part)?.text ?? '')
  return arrivals.some(isAmiss) ? { end: 'wrong', why: 'what arrived is not what was to be sent' } : undefined
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
