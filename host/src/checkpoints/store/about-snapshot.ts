import * as z from 'zod/mini'

/** What stands in the message of a snapshot. */
const aboutSchema = z.object({
  /** By which people name the checkpoint; the state before it and the state after it share it. */
  number: z.int(),
  /** The order in which they were made. */
  order: z.int(),
  kind: z.enum(['turn', 'rollback']),
  phase: z.enum(['before', 'after']),
  at: z.number(),
  session: z.string(),
  /** How many files the turn, or the rollback, has changed; known afterwards. */
  changed: z.optional(z.int()),
})

export type AboutSnapshot = z.infer<typeof aboutSchema>

/** Undefined for a message that is none of ours. */
export function parseAbout(text: string): AboutSnapshot | undefined {
  try {
    const parsed = aboutSchema.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : undefined
  } catch {
    // Somebody else wrote it.
    return undefined
  }
}
