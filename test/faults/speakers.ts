import type { Random } from './random.ts'

/** Says something somewhere; the id comes back in what tools write down. */
export interface Speaker {
  readonly conversation: string
  readonly wishes: readonly [Wish, ...Wish[]]
  /** Messages between two kills. */
  readonly each: number
  say(id: string, text: string): void
}

export type Wish = (id: string) => string

export const note: Wish = (id) => `note ${id}`

/** Between them they have every part of a turn cut by a kill: model, tool, several steps, several parts of an answer. */
export const wishes: readonly [Wish, ...Wish[]] = [
  note,
  (id) => `run echo ${id} >> lines.txt`,
  (id) => `run sleep 0.1 && echo ${id} >> lines.txt`,
  (id) => `run echo ${id}a >> lines.txt then run echo ${id}b >> lines.txt then stream 20 tokens every 3 ms`,
  () => 'stream 40 tokens every 3 ms',
  () => 'stream 150 tokens',
]

interface Talk {
  readonly withinMs: number
  readonly round: number
}

/** Starts conversations that go on whatever the gateway does; each gets more messages at random moments of the next `withinMs`. */
export function speak(speakers: readonly Speaker[], random: Random, { withinMs, round }: Talk): Promise<void> {
  const said = speakers.flatMap(({ conversation, wishes: own, each, say }) =>
    Array.from({ length: each }, (_, index) => {
      const id = `${conversation}-${round}-${index}`
      const text = random.pick(own)(id)
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
