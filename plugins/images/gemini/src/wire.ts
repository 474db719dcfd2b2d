import * as z from 'zod/mini'

/** https://ai.google.dev/api/generate-content; only the fields that are read stand here. */
const part = z.object({ inlineData: z.optional(z.object({ data: z.string() })), text: z.optional(z.string()) })
const answer = z.object({
  candidates: z.optional(
    z.array(z.object({ content: z.optional(z.object({ parts: z.optional(z.array(part)) })), finishReason: z.optional(z.string()) })),
  ),
  promptFeedback: z.optional(z.object({ blockReason: z.optional(z.string()) })),
})
const counted = z.object({
  usageMetadata: z.object({
    promptTokenCount: z.number(),
    candidatesTokenCount: z.number(),
    thoughtsTokenCount: z.optional(z.number()),
  }),
})
const refusal = z.object({
  error: z.object({ message: z.string(), details: z.optional(z.array(z.object({ reason: z.optional(z.string()) }))) }),
})

/** The picture in base64, or why there is none. */
export function parsePicture(body: unknown): { readonly picture?: string | undefined; readonly reason: string } {
  const read = answer.safeParse(body).data
  const [first] = read?.candidates ?? []
  const parts = first?.content?.parts ?? []
  const picture = parts.find(({ inlineData }) => inlineData)?.inlineData?.data
  const said = parts.map(({ text }) => text ?? '').join(' ')
  const why = read?.promptFeedback?.blockReason ?? (first?.finishReason === 'STOP' ? undefined : first?.finishReason)
  return { picture, reason: why ? `the service refuses it (${why})` : said.trim() || 'its answer holds no picture' }
}

/** What the service says is wrong, and whether that is the key. */
export function parseRefusal(body: unknown): { readonly message: string; readonly isKey: boolean } | undefined {
  const error = refusal.safeParse(body).data?.error
  return error && { message: error.message, isKey: error.details?.some(({ reason }) => reason === 'API_KEY_INVALID') === true }
}

/** Tokens of the words and of the picture. */
export interface Took {
  readonly input: number
  readonly output: number
}

/** What it took; thoughts cost as the picture does, or less. */
export function parseTook(body: unknown): Took | undefined {
  const usage = counted.safeParse(body).data?.usageMetadata
  return usage && { input: usage.promptTokenCount, output: usage.candidatesTokenCount + (usage.thoughtsTokenCount ?? 0) }
}
