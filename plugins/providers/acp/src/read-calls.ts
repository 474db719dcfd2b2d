import type { ModelEvent } from '@agent/plugin-sdk'

const begin = '<tool_call>'
const end = '</tool_call>'

/** Tells calls from words in a text that comes in pieces. What may become a call is held back. */
export interface CallReader {
  take(text: string): readonly ModelEvent[]
  /** What is still held back, as words. */
  finish(): readonly ModelEvent[]
  readonly hasCalls: () => boolean
}

/** `offered` are names of tools: a block that calls another one is text. Ids begin with `prefix`. */
export function openCallReader(offered: ReadonlySet<string>, prefix: string): CallReader {
  let [held, calls] = ['', 0]
  const read = (block: string): ModelEvent => {
    const call = parseCall(block)
    if (!call || !offered.has(call.name)) return { type: 'text', delta: begin + block + end }
    calls += 1
    return { type: 'call', id: `${prefix}-${calls}`, ...call }
  }
  const words = (text: string): readonly ModelEvent[] => {
    // White space around calls belongs to nobody.
    const said = calls > 0 && text.trim() === '' ? '' : text
    return said === '' ? [] : [{ type: 'text', delta: said }]
  }
  return {
    take(text) {
      held += text
      const events: ModelEvent[] = []
      for (;;) {
        const [from, to] = [held.indexOf(begin), held.indexOf(end)]
        if (from < 0 || to < from) break
        events.push(...words(held.slice(0, from)), read(held.slice(from + begin.length, to)))
        held = held.slice(to + end.length)
      }
      const from = held.indexOf(begin)
      const safe = from < 0 ? held.length - partialStart(held) : from
      events.push(...words(held.slice(0, safe)))
      held = held.slice(safe)
      return events
    },
    finish() {
      const rest = held
      held = ''
      return words(rest)
    },
    hasCalls: () => calls > 0,
  }
}

/** How many letters at the end may be the beginning of a block. */
function partialStart(text: string): number {
  for (let length = Math.min(begin.length - 1, text.length); length > 0; length--) if (text.endsWith(begin.slice(0, length))) return length
  return 0
}

function parseCall(block: string): { readonly name: string; readonly args: string } | undefined {
  try {
    const { name, arguments: given = {} } = JSON.parse(block) as { readonly name?: unknown; readonly arguments?: unknown }
    return typeof name === 'string' ? { name, args: typeof given === 'string' ? given : JSON.stringify(given) } : undefined
  } catch {
    return undefined
  }
}
