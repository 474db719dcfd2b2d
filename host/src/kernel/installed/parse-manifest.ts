import { manifestSchema } from '@agent/plugin-sdk'
import { describeIssue } from '../schema/describe-issue.ts'
import type { SchemaCheck } from '../schema/schema-check.ts'

/** The verdict of the manifest's own schema, with the first problem in words. */
export function parseManifest(raw: unknown): SchemaCheck {
  const parsed = manifestSchema.safeParse(raw, { reportInput: true })
  return parsed.success ? { ok: true, value: parsed.data } : { ok: false, ...describeIssue(parsed.error.issues) }
}
