import type { ModelEvent, ModelRequest, Usage } from '@agent/plugin-sdk'

/** What a call took; `isEstimated` where its service did not come to say so. */
export interface Took {
  readonly usage: Usage
  readonly isEstimated: boolean
}

/** Hears what comes of a model call and knows at each moment what it took. */
export interface Tally {
  hear(event: ModelEvent): void
  took(): Took
}

const nothing: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

/**
 * A call that breaks off took what was sent and what came of its answer. One that was refused before a word of it came took nothing: services
 * ask for no money then. Of one that fell silent nobody knows, so what was sent counts.
 */
export function createTally(request: ModelRequest): Tally {
  let exact: Usage | undefined
  let isRefused = false
  // Counted when it is asked for: most services say it themselves, and an answer has thousands of pieces.
  let said = ''
  let thought = ''
  return {
    hear(event) {
      if (event.type === 'end') exact = event.usage
      else if (event.type === 'failed') isRefused = event.class !== 'timeout' && event.error.code !== 'INTERRUPTED'
      else said += textOf(event)
      if (event.type === 'reasoning') thought += event.delta
    },
    took() {
      if (exact) return { usage: exact, isEstimated: false }
      if (isRefused && said === '') return { usage: nothing, isEstimated: false }
      const [output, reasoning] = [said, thought].map((text) => Math.ceil(countTokens(text))) as [number, number]
      const usage = { ...nothing, input: estimateInput(request), output, reasoning }
      return { usage, isEstimated: true }
    },
  }
}

/** The same events, heard on the way to what leaves some of them out. */
export async function* hearing({ hear }: Tally, events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent, void, undefined> {
  for await (const event of events) {
    hear(event)
    yield event
  }
}

function textOf(event: Exclude<ModelEvent, { type: 'end' | 'failed' }>): string {
  if (event.type === 'call') return event.name + event.args
  return event.type === 'opaque' ? '' : event.delta
}

/** A picture is thought to take what most services count for a large one. */
const picture = 1600

/** Tokens of a question, pictures and tools among it: rather too many than too few. */
export function estimateInput({ system, ephemeral = '', messages, tools }: ModelRequest): number {
  let pictures = 0
  const words = JSON.stringify([system, ephemeral, messages, tools], (_key, value: unknown) => {
    if (!isPicture(value)) return value
    pictures++
    return ''
  })
  return Math.ceil(countTokens(words)) + pictures * picture
}

function isPicture(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'image' && 'url' in value
}

/** Four letters of the Latin script are a token, and each of another script is one. */
function countTokens(text: string): number {
  const others = text.match(/[^\0-\u024f]/g)?.length ?? 0
  return others + (text.length - others) / 4
}
