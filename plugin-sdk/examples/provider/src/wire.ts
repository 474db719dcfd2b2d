import { parseJson } from '@agent/plugin-sdk/http'
import * as z from 'zod/mini'

/** One line of an answer. Only the fields that are read stand here; others are ignored. */
const line = z.union([
  z.object({ text: z.string() }),
  z.object({ call: z.object({ id: z.string(), name: z.string(), arguments: z.string() }) }),
  z.object({ done: z.object({ reason: z.enum(['stop', 'tool-calls', 'length']), input: z.int(), output: z.int() }) }),
])

export type Line = z.output<typeof line>

/** Undefined for what is no line of the protocol. */
export function parseLine(text: string): Line | undefined {
  return line.safeParse(parseJson(text)).data
}

/** The whole lines of a body as they come; a last one without its end was cut and is not given. */
export async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
  }
}
