import * as z from 'zod/mini'

/** Only the field that is read stands here; others are ignored. */
const person = z.object({ id: z.string().check(z.minLength(1), z.maxLength(200)) })

export const parsePerson = (body: unknown): z.output<typeof person> | undefined => person.safeParse(body).data
