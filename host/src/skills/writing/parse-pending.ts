// zod/mini, and this file is imported at the first change that waits: mostly none does.
import * as z from 'zod/mini'
import type { SkillWish } from './skill-wish.ts'

/** A change of a skill that waits until a person says what becomes of it. */
export interface PendingSkill {
  readonly id: string
  readonly owner: string
  /** When it was asked for: milliseconds since 1970. */
  readonly at: number
  readonly session: string
  /** Of the skill as it was then; null where there was none. A skill that has changed since is not changed again. */
  readonly before: string | null
  readonly change: SkillWish
}

const text = z.string()
const skill = z.string()
const schema = z.strictObject({
  ...{ id: text, owner: text, at: z.number(), session: text, before: z.nullable(text) },
  change: z.discriminatedUnion('action', [
    z.strictObject({ action: z.literal('create'), skill, text, category: z.optional(text) }),
    z.strictObject({ action: z.literal('write'), skill, file: text, text }),
    z.strictObject({ action: z.literal('patch'), skill, file: text, old: text, text }),
    z.strictObject({ action: z.literal('remove'), skill, file: text }),
    z.strictObject({ action: z.literal('delete'), skill }),
  ]),
})

/** The change in the text of its file; undefined where it is none. */
export function parsePending(content: string): PendingSkill | undefined {
  try {
    const parsed = schema.safeParse(JSON.parse(content))
    return parsed.success ? (parsed.data as PendingSkill) : undefined
  } catch {
    return undefined
  }
}
