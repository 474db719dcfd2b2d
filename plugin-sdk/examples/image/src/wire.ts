import * as z from 'zod/mini'

/** Only the fields that are read stand here; others are ignored. */
const answer = z.object({ picture: z.string() })
const refusal = z.object({ problem: z.string() })

/** The picture in base64. */
export const parsePicture = (body: unknown): string | undefined => answer.safeParse(body).data?.picture

/** What the service says is wrong. */
export const parseProblem = (body: unknown): string | undefined => refusal.safeParse(body).data?.problem
