import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { parse, stringify } from 'yaml'
import * as z from 'zod'
import type { Change, Survivor } from './judge.ts'

const survivorsSchema = z.nullable(
  z.array(z.strictObject({ where: z.string(), original: z.string(), replacement: z.string(), reason: z.string().min(1) })),
)

export function readSurvivors(root: string, area: string): readonly Survivor[] {
  const file = join(root, 'test/mutation/survivors', `${area}.yaml`)
  if (!existsSync(file)) return []
  const parsed = survivorsSchema.safeParse(parse(readFileSync(file, 'utf8')))
  if (!parsed.success) throw fail('INTERNAL', { detail: `${file} is not a list of {where, original, replacement, reason}` })
  return parsed.data ?? []
}

/** As a line of the list; only the reason is missing. */
export function formatChange({ where, original, replacement }: Change): string {
  return stringify([{ where, original, replacement, reason: '' }], { lineWidth: 0 }).trimEnd()
}
