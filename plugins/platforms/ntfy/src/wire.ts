import { parseJson } from '@agent/plugin-sdk/http'
import * as z from 'zod/mini'

const event = z.object({
  id: z.string().check(z.minLength(1)),
  /** Seconds since 1970. */
  time: z.number(),
  /** `open`, `keepalive`, `message`, `poll_request`, and whatever newer servers add. */
  event: z.string(),
  message: z.optional(z.string()),
  title: z.optional(z.string()),
  tags: z.optional(z.array(z.string())),
  /** Set where the message is no text. */
  encoding: z.optional(z.string()),
  attachment: z.optional(z.object({ name: z.string(), url: z.string() })),
})

/** One line of a subscription, or the answer to a publication. */
export type NtfyEvent = z.output<typeof event>

const problem = z.object({ error: z.string() })

/** Undefined for what is no event of the protocol. */
export const parseEvent = (text: string): NtfyEvent | undefined => readJson(event, text)

/** The sentence in which the server refuses a request. */
export const parseProblem = (text: string): string | undefined => readJson(problem, text)?.error

function readJson<T>(schema: z.ZodMiniType<T>, text: string): T | undefined {
  return schema.safeParse(parseJson(text)).data
}

/** What the server takes for a topic; one name, so that no other path can be asked for. */
export function isTopic(name: string): boolean {
  return /^[\w-]{1,64}$/.test(name)
}

/** A line longer than this comes from no ntfy server. */
const longestLine = 1 << 20

/** The lines of a body as they come. A last one without its end was cut and is not given. */
export async function* readLines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    yield* lines
    if (rest.length > longestLine) throw new Error('a line has no end')
  }
}
