import type { MemoryBlock, MemoryHit } from '@agent/plugin-sdk'
// zod/mini, and this file is imported at the first answer only: most starts ask no provider.
import * as z from 'zod/mini'
import { describeIssue } from '#kernel/schema/describe-issue.ts'

const blocks = z.array(
  z.object({ target: z.enum(['memory', 'user']), entries: z.array(z.string()), limit: z.number().check(z.minimum(1)) }),
)
const hits = z.array(
  z.object({ text: z.string(), at: z.optional(z.number()), session: z.optional(z.string()), title: z.optional(z.string()) }),
)

/** What a provider answered, if it fits. Fields that nobody reads are dropped. */
export function readBlocks(answer: unknown): readonly MemoryBlock[] {
  return read(blocks, answer) as readonly MemoryBlock[]
}

export function readHits(answer: unknown): readonly MemoryHit[] {
  return read(hits, answer) as readonly MemoryHit[]
}

function read(schema: z.ZodMiniType, answer: unknown): unknown {
  const parsed = schema.safeParse(answer)
  if (parsed.success) return parsed.data
  const { path, problem } = describeIssue(parsed.error.issues)
  throw new Error(`its answer does not fit: ${path} ${problem}`)
}
