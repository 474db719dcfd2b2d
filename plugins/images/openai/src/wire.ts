import * as z from 'zod/mini'

/** https://platform.openai.com/docs/api-reference/images/create; only the fields that are read stand here. */
const answer = z.object({ data: z.array(z.object({ b64_json: z.optional(z.string()) })) })
const refusal = z.object({ error: z.object({ message: z.string() }) })

/** The picture in base64; undefined where there is none. */
export const parsePicture = (body: unknown): string | undefined => answer.safeParse(body).data?.data[0]?.b64_json

/** What the service says is wrong. */
export const parseRefusal = (body: unknown): string | undefined => refusal.safeParse(body).data?.error.message
