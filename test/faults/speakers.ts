import type { Random } from './random.ts'

/** Says something somewhere; the id comes back in what tools write down. */
export interface Speaker {
  readonly conversation: string
  readonly wishes: readonly [Wish, ...Wish[]]
  /** Messages between two kills. */
  readonly each: number
  /** Says all of it before the first kill. */
  readonly once?: boolean
  say(id: string, text: string): void
}

/** `place` differs for every message of a conversation: what has no id in its answer has a separate length. */
export type Wish = (id: string, place: number) => string

export const note = (id: string): string => `note ${id}`

const run = (id: string, more = ''): string => `run echo ${id} | tee -a lines.txt${more}`

/** Between them they have every part of a turn cut by a kill: model, tool, several steps, several parts of an answer. */
export const wishes: readonly [Wish, ...Wish[]] = [
  note,
  (id) => run(id),
  (id) => run(id, ' && sleep 0.2'),
  (id) => `${run(`${id}a`)} then ${run(`${id}b`)} then stream 20 tokens every 3 ms`,
  (_, place) => `stream ${40 + place} tokens every 3 ms`,
  (_, place) => `stream ${150 + place} tokens`,
]

/** Its tool is nearly always in the middle of its work when a kill comes. */
export const longTool: Wish = (id) => run(id, ' && sleep 1.2')

/** Longer than a gateway lives between two kills: at the third it is given up. */
export const longAnswer: Wish = () => 'stream 400 tokens every 20 ms'

interface Talk {
  readonly withinMs: number
  readonly round: number
}

/** Starts conversations that go on whatever the gateway does; each gets more messages at random moments of the next `withinMs`. */
export function speak(speakers: readonly Speaker[], random: Random, { withinMs, round }: Talk): Promise<void> {
  const speaking = speakers.filter(({ once }) => !once || round === 0)
  const said = speaking.flatMap(({ conversation, wishes: own, each, say }) =>
    Array.from({ length: each }, (_, index) => {
      const id = `${conversation}-${round}-${index}`
      const text = random.pick(own)(id, round * each + index)
      return new Promise<void>((resolve) => {
        setTimeout(
          () => {
            say(id, text)
            resolve()
          },
          random.between(0, withinMs),
        )
      })
    }),
  )
  return Promise.all(said).then(() => undefined)
}
