import { missingMark } from '../../../host/src/gateway/outbound/send-doubt.ts'
import { countMarksDue, countUnknownParts, type Ends, isMark, judgeStored, noEnds, type Outcome } from '../judge.ts'
import { apology, plainWords, rightAnswers } from '../right-answer.ts'
import type { StoredMessage } from '../stored.ts'

/** One conversation after the storm. */
export interface Heard {
  /** Numbered words, in the order in which they were said. */
  readonly said: readonly string[]
  /** Everything that the person read of the bot. */
  readonly heard: readonly string[]
}

export interface CrowdEvidence {
  readonly platform: string
  /** Whether the platform offers a message until it is taken. */
  readonly keeps: boolean
  readonly conversations: readonly Heard[]
  readonly stored: readonly StoredMessage[]
  /** At how many kills a message was in work, by its id. */
  readonly crashes: ReadonlyMap<string, number>
}

export interface CrowdVerdict extends Ends {
  readonly platform: string
  readonly said: number
  readonly accepted: number
  readonly unknownParts: number
  /** How often a person was told that an answer may be missing: at most once for each answer of which a part is unknown. */
  readonly marks: number
  /** Beginnings of right answers that were shown while they were written, and stayed. */
  readonly leftPreviews: number
  readonly doubles: number
  readonly outOfOrder: number
  readonly details: readonly string[]
}

/** Stands behind an answer that is still being written. */
const cursor = ' ▉'

/** Counts what became of everything that was said on one platform. What a person read that answers nothing counts as wrong too. */
export function judgeCrowd({ platform, keeps, conversations, stored, crashes }: CrowdEvidence): CrowdVerdict {
  const byText = new Map(stored.map((message) => [message.text, message]))
  const counted = { unknownParts: countUnknownParts(stored), marks: 0 }
  const verdict = { ...{ platform, said: 0, accepted: 0, ...counted, leftPreviews: 0, doubles: 0, outOfOrder: 0 }, ...noEnds() }
  const details: string[] = []
  for (const { said, heard } of conversations) {
    const own = new Map(said.map((words) => [rightAnswers(`note ${words}`, false)[0] ?? '', words]))
    const isPreview = (text: string): boolean =>
      [...own.keys()].some((answer) => text.endsWith(cursor) && answer.startsWith(text.slice(0, -cursor.length)))
    const all = heard.map((text) => plainWords(text))
    const texts = all.filter((text) => !isPreview(text))
    const answers = texts.flatMap((text) => own.get(text) ?? [])
    const late = findOutOfOrder(said, answers)
    const messages = said.map((words) => byText.get(`note ${words}`))
    const strays = findStrays(texts, own, {
      [apology]: messages.filter((message) => message?.state === 'failed').length,
      [missingMark]: countMarksDue(messages.flatMap((message) => message ?? [])),
    })
    verdict.marks += texts.filter((text) => isMark({ text })).length
    verdict.said += said.length
    verdict.leftPreviews += all.length - texts.length
    verdict.outOfOrder += late.length
    verdict.wrong += strays.length
    details.push(...strays.map((text) => `answers nothing: ${text}`))
    details.push(...late.map(({ words, after }) => `${words}: heard after ${after}`))
    for (const [index, words] of said.entries()) {
      const message = messages[index]
      const times = answers.filter((answer) => answer === words).length
      verdict.doubles += Math.max(0, times - 1)
      if (message) verdict.accepted += 1
      else if (!keeps) continue
      const { end, why } = judgeMessage(words, { message, times, crashes: crashes.get(message?.id ?? '') ?? 0 })
      verdict[end] += 1
      if (why !== undefined || times > 1)
        details.push(`${words}: heard ${times} times, ${why ?? 'which is too often'}: ${JSON.stringify(message)}`)
    }
  }
  return { ...verdict, details }
}

interface Evidence {
  readonly message: StoredMessage | undefined
  /** How often its right answer was read. */
  readonly times: number
  readonly crashes: number
}

function judgeMessage(words: string, { message, times, crashes }: Evidence): Outcome {
  const bad = judgeStored(`note ${words}`, message, crashes)
  if (bad) return bad
  const states = message?.parts.map(({ state }) => state) ?? []
  if (states.some((state) => state !== 'sent' && state !== 'unknown')) return { end: 'lost', why: 'it was not sent' }
  if (states.includes('unknown')) return { end: 'unknown' }
  if (message?.state === 'failed') return { end: 'givenUp' }
  return times > 0 ? { end: 'right' } : { end: 'lost', why: 'it did not arrive' }
}

/** What is no answer to anything that was said there; an apology for a message given up and a mark of an unknown part are none either. */
function findStrays(texts: readonly string[], own: ReadonlyMap<string, string>, due: Readonly<Record<string, number>>): readonly string[] {
  return texts.filter((text, index) => {
    const before = texts.slice(0, index).filter((one) => one === text).length
    return !own.has(text) && before >= (due[text] ?? 0)
  })
}

/** The answers that came after one to something that was said later. */
function findOutOfOrder(said: readonly string[], answers: readonly string[]): readonly { words: string; after: string }[] {
  const places = new Map(said.map((words, index) => [words, index]))
  const found: { words: string; after: string }[] = []
  let latest = -1
  for (const words of answers) {
    const place = places.get(words)
    if (place === undefined) continue
    if (place < latest) found.push({ words, after: said[latest] ?? '' })
    latest = Math.max(latest, place)
  }
  return found
}
