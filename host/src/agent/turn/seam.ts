import type { ModelEvent, ModelMessage } from '@agent/plugin-sdk'

/** So many letters say that a model begins again, where it then says it otherwise. */
const sample = 24
/** Fewer letters at the seam that are the same are chance. */
const leastOverlap = 6
/** Fewer letters at the beginning are. */
const leastBeginning = 3

/** What a model is asked so that it goes on with an answer that people have begun to read. */
export function askToGoOn(said: string): readonly ModelMessage[] {
  if (said === '') return []
  const text =
    '[Your answer was cut off here by a lost connection. Go on exactly where it stops: repeat nothing, and say nothing about this.]'
  return [
    { role: 'assistant', parts: [{ type: 'text', text: said }] },
    { role: 'user', parts: [{ type: 'text', text }] },
  ]
}

/** Whether a text may end here. What stops after a word or amid a sentence was cut, however often a service adds nothing to it. */
export const mayEndWith = (said: string): boolean => /[^\s\p{L}\p{N}\p{Ps}\p{Pi}\p{Pd},;:、，；：]$/u.test(said.trimEnd())

/**
 * Takes what was read already out of an answer that goes on with it: the last words, or all of it, where the model says them once more.
 * Letters are held back while they may be such a repetition.
 */
export async function* withoutRepeats(said: string, events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent, void, undefined> {
  const seam = openSeam(said)
  for await (const event of events) {
    // Thoughts come before the words, and say nothing about them.
    const delta = event.type === 'text' ? seam.take(event.delta) : isThought(event) ? '' : seam.finish(event.type === 'failed')
    if (delta !== '') yield { type: 'text', delta }
    if (event.type !== 'text') yield event
  }
}

const isThought = ({ type }: ModelEvent): boolean => type === 'reasoning' || type === 'opaque'

/** Both answer the text that is new. */
function openSeam(said: string): { take(text: string): string; finish(isCut: boolean): string } {
  let held: string | undefined = ''
  /** Places of what was said from which on it is what is held, as far as either goes. */
  let places: readonly number[] = Array.from({ length: said.length }, (_, place) => place)
  const release = (letters: number): string => {
    const text = held ?? ''
    held = undefined
    return text.slice(letters)
  }
  return {
    take(text) {
      if (held === undefined) return text
      const before = held.length
      held += text
      const now = held
      places = places.filter((place) => {
        const end = Math.min(now.length, said.length - place)
        return end <= before || said.slice(place + before, place + end) === now.slice(before, end)
      })
      return places.some((place) => said.length - place > now.length) ? '' : release(countRepeated(said, now, places))
    },
    finish(isCut) {
      const now = held ?? ''
      // It was repeating itself when it was cut, and will be asked again.
      const isLost = isCut && now.length >= leastOverlap && places.some((place) => said.length - place > now.length)
      return release(isLost ? now.length : countRepeated(said, now, places))
    },
  }
}

/** How many letters of a text repeat what was said before it. */
function countRepeated(said: string, text: string, places: readonly number[]): number {
  const overlap = said.length - (places.find((place) => said.length - place <= text.length) ?? said.length)
  if (overlap >= leastOverlap || (overlap === said.length && overlap >= leastBeginning)) return overlap
  const beginning = commonStart(said, text)
  return beginning >= Math.min(sample, said.length) && beginning >= leastBeginning ? beginning : 0
}

function commonStart(one: string, other: string): number {
  let length = 0
  while (length < one.length && length < other.length && one[length] === other[length]) length++
  return length
}
