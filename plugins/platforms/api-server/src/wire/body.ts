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
  readonly minimum?: unknown
  readonly maximum?: unknown
  /** Of a field that may be one of several things: what is wrong with it as each of them. */
  readonly errors?: readonly (readonly Issue[])[]
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

/** As JSON calls them. */
const jsonTypes: Readonly<Record<string, string>> = { int: 'integer', record: 'object' }

function describeIssue(issue: Issue | undefined): string {
  const { code, expected = '', values = [], minimum, maximum, errors = [] } = issue ?? {}
  // What is checked by a function here is an object.
  if (code === 'custom') return 'must be of type object'
  if (code === 'invalid_type') return `must be of type ${jsonTypes[expected] ?? expected}`
  if (code === 'invalid_value') return `must be one of ${values.join(', ')}`
  if (code === 'too_small') return `must not be under ${minimum}`
  if (code === 'too_big') return `must not be over ${maximum}`
  const kinds = errors.flatMap(([first]) => (first?.path.length === 0 ? [describeIssue(first)] : []))
  return kinds.length > 0 ? [...new Set(kinds)].join(' or ') : 'is of another type'
}
