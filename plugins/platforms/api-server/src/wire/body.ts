import { fail } from '@agent/plugin-sdk/errors'
import { readJson } from '@agent/plugin-sdk/http'

/** The part of a schema that reading a body needs. */
interface Schema<T> {
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: T } | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } }
}

/** A schema of a whole body: its fields have names. */
export interface BodySchema<T> extends Schema<T> {
  readonly shape: Readonly<Record<string, unknown>>
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly code?: string
  readonly expected?: string
  readonly values?: readonly unknown[]
}

export function readBody(bytes: Uint8Array): unknown {
  return readJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
}

/** Reads a JSON body; a field that does not fit is named in the error. */
export function parseBody<T>(schema: Schema<T>, bytes: Uint8Array): T {
  return parseValue(schema, readBody(bytes))
}

/** Reads a part of a body; `param` names its place for the error. */
export function parseValue<T>(schema: Schema<T>, value: unknown, param = ''): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const place = [param, ...(issue?.path ?? [])].filter((piece) => piece !== '').join('.')
  throw fail('HTTP_INVALID', { param: place || 'body', problem: describeIssue(issue) })
}

function describeIssue(issue: Issue | undefined): string {
  if (issue?.code === 'invalid_type') return `must be of type ${issue.expected}`
  if (issue?.code === 'invalid_value') return `must be one of ${issue.values?.join(', ')}`
  return 'is out of range or of another type'
}
