// zod/mini, and this file is imported at the first change that waits: mostly none does.
import type { MemoryChange } from '@agent/plugin-sdk'
import * as z from 'zod/mini'

/** A change that waits until a person says what becomes of it. */
export interface PendingChange {
  readonly id: string
  readonly owner: string
  /** When it was asked for: milliseconds since 1970. */
  readonly at: number
  readonly session: string
  /** `old` is the whole entry that it was asked for, so that no other is changed meanwhile. */
  readonly change: MemoryChange
}

const text = z.string()
const target = z.enum(['memory', 'user'])
const schema = z.strictObject({
  ...{ id: text, owner: text, at: z.number(), session: text },
  change: z.discriminatedUnion('action', [
    z.strictObject({ action: z.literal('add'), target, text }),
    z.strictObject({ action: z.literal('replace'), target, old: text, text }),
    z.strictObject({ action: z.literal('remove'), target, old: text }),
  ]),
})

/** The change in the text of its file; undefined where it is none. */
export function parsePending(content: string): PendingChange | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(content))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined
  }
}
