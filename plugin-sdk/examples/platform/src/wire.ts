import * as z from 'zod/mini'

/** Only the fields that are read stand here; others are ignored. */
const message = z.object({
  number: z.int(),
  from: z.object({ id: z.string(), name: z.string(), bot: z.boolean() }),
  room: z.object({ id: z.string(), direct: z.boolean() }),
  text: z.string(),
  mentions: z.array(z.string()),
})
const messages = z.object({ messages: z.array(message) })
const self = z.object({ id: z.string(), name: z.string() })
const taken = z.object({ number: z.int() })

export type WireMessage = z.output<typeof message>
export type Self = z.output<typeof self>

export const parseMessages = (body: unknown): readonly WireMessage[] | undefined => messages.safeParse(body).data?.messages
export const parseSelf = (body: unknown): Self | undefined => self.safeParse(body).data
export const parseTaken = (body: unknown): string | undefined => taken.safeParse(body).data?.number.toString()
