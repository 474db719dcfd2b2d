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
}

export interface CrowdVerdict {
  readonly platform: string
  readonly said: number
  readonly accepted: number
  readonly answeredOnce: number
  /** Answered with an apology, after three crashes on one message. */
  readonly givenUp: number
  readonly unknown: number
  readonly doubles: number
  readonly lost: number
  readonly outOfOrder: number
  readonly details: readonly string[]
}

const apology = /stumble three times/

/** Counts what became of everything that was said on one platform. */
export function judgeCrowd({ platform, keeps, conversations, stored }: CrowdEvidence): CrowdVerdict {
  const byWords = new Map(stored.map((message) => [wordsOf(message.text), message]))
  const verdict = { platform, said: 0, accepted: 0, answeredOnce: 0, givenUp: 0, unknown: 0, doubles: 0, lost: 0, outOfOrder: 0 }
  const details: string[] = []
  for (const { said, heard } of conversations) {
    const answers = heard.filter((text) => !apology.test(text)).map(wordsOf)
    verdict.said += said.length
    const late = findOutOfOrder(said, answers)
    verdict.outOfOrder += late.length
    details.push(...late.map(({ words, after }) => `${words}: heard after ${after}, ${JSON.stringify(byWords.get(words))}`))
    for (const words of said) {
      const times = answers.filter((answer) => answer === words).length
      const message = byWords.get(words)
      const is = judgeMessage(message, times, keeps)
      if (message) verdict.accepted += 1
      if (is !== 'nothing') verdict[is] += 1
      verdict.doubles += Math.max(0, times - 1)
      if (is === 'lost' || times > 1) details.push(`${words}: heard ${times} times, ${JSON.stringify(message)}`)
    }
  }
  return { ...verdict, details }
}

type Outcome = 'answeredOnce' | 'givenUp' | 'unknown' | 'lost' | 'nothing'

function judgeMessage(message: StoredMessage | undefined, times: number, keeps: boolean): Outcome {
  if (!message) return keeps ? 'lost' : 'nothing'
  if (message.state === 'failed') return 'givenUp'
  const states = message.parts.map(({ state }) => state)
  if (states.includes('unknown')) return 'unknown'
  return times > 0 && states.length > 0 && states.every((state) => state === 'sent') ? 'answeredOnce' : 'lost'
}

function wordsOf(text: string): string {
  return /note (\S+)\s*$/.exec(text)?.[1] ?? text
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
