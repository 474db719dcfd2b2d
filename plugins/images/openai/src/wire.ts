import * as z from 'zod/mini'

/** https://platform.openai.com/docs/api-reference/images/create; only the fields that are read stand here. */
const answer = z.object({ data: z.array(z.object({ b64_json: z.optional(z.string()) })) })
const counted = z.object({ usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }) })
const refusal = z.object({ error: z.object({ message: z.string() }) })

/** The picture in base64; undefined where there is none. */
export const parsePicture = (body: unknown): string | undefined => answer.safeParse(body).data?.data[0]?.b64_json

/** What the service says is wrong. */
export const parseRefusal = (body: unknown): string | undefined => refusal.safeParse(body).data?.error.message

/** Tokens of the words and of the picture. */
export interface Took {
  readonly input: number
  readonly output: number
}

/** What it took, which DALL·E and servers that imitate the service do not say. */
export function parseTook(body: unknown): Took | undefined {
  const usage = counted.safeParse(body).data?.usage
  return usage && { input: usage.input_tokens, output: usage.output_tokens }
}
