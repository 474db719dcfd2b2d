import type { ModelEvent, ModelMessage } from '@agent/plugin-sdk'

/** So many letters say whether a model goes on or begins again. */
const sample = 24
/** Fewer letters at the seam that are the same are chance. */
const leastOverlap = 6

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

/**
 * Takes what was read already out of an answer that goes on with it: the last words, or all of it, where the model says them once more.
 * The first letters are held back until that is known.
 */
export async function* withoutRepeats(said: string, events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent, void, undefined> {
  const seam = openSeam(said)
  for await (const event of events) {
    const delta = event.type === 'text' ? seam.take(event.delta) : seam.finish()
    if (delta !== '') yield { type: 'text', delta }
    if (event.type !== 'text') yield event
  }
}

/** Both answer the text that is new. */
function openSeam(said: string): { take(text: string): string; finish(): string } {
  let held: string | undefined = ''
  /** What of the earlier text is still to be repeated; empty where nothing is. */
  let rest = ''
  const skip = (text: string): string => {
    const same = commonStart(rest, text)
    rest = same < text.length ? '' : rest.slice(same)
    return text.slice(same)
  }
  const finish = (): string => {
    const text = held ?? ''
    held = undefined
    const beginsAgain = text.length >= Math.min(sample, said.length) && said.startsWith(text.slice(0, sample))
    if (!beginsAgain) return text.slice(overlap(said, text))
    rest = said
    return skip(text)
  }
  return {
    take(text) {
      if (held === undefined) return skip(text)
      held += text
      return held.length < sample ? '' : finish()
    },
    finish,
  }
}

function commonStart(one: string, other: string): number {
  let length = 0
  while (length < one.length && length < other.length && one[length] === other[length]) length++
  return length
}

/** How many letters at the end of the one are the beginning of the other. */
function overlap(before: string, after: string): number {
  for (let length = Math.min(before.length, after.length); length >= leastOverlap; length--) {
    if (before.endsWith(after.slice(0, length))) return length
  }
  return 0
}
