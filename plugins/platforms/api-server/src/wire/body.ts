import { detailOf, fail } from '@agent/plugin-sdk/errors'

/** The part of a schema that reading a body needs. */
interface Schema<T> {
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: T } | { readonly success: false; readonly error: { readonly issues: readonly Issue[] } }
}

interface Issue {
  readonly path: readonly PropertyKey[]
  readonly code?: string
  readonly expected?: string
  readonly values?: readonly unknown[]
}

const maxDepth = 200

/** Reads a JSON body; a field that does not fit is named in the error. */
export function parseBody<T>(schema: Schema<T>, bytes: Uint8Array): T {
  if (isDeeperThan(bytes, maxDepth)) throw fail('HTTP_INVALID', { param: 'body', problem: `is nested more than ${maxDepth} levels deep` })
  let value: unknown
  try {
    value = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString())
  } catch (error) {
    throw fail('HTTP_BAD_JSON', { detail: detailOf(error) })
  }
  return parseValue(schema, value)
}

/** Reads a part of a body; `param` names its place for the error. */
export function parseValue<T>(schema: Schema<T>, value: unknown, param = ''): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const place = [param, ...(issue?.path ?? [])].filter((piece) => piece !== '').join('.')
  throw fail('HTTP_INVALID', { param: place || 'body', problem: describeIssue(issue) })
}

const signs = { quote: 0x22, backslash: 0x5c, openList: 0x5b, closeList: 0x5d, openObject: 0x7b, closeObject: 0x7d } as const

/** What is nested without end ends every function that follows it. */
function isDeeperThan(bytes: Uint8Array, limit: number): boolean {
  let depth = 0
  let isText = false
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]
    if (byte === signs.quote) isText = !isText
    else if (!isText) depth += stepOf(byte)
    else if (byte === signs.backslash) index++
    if (depth > limit) return true
  }
  return false
}

function stepOf(byte: number | undefined): number {
  if (byte === signs.openList || byte === signs.openObject) return 1
  return byte === signs.closeList || byte === signs.closeObject ? -1 : 0
}

function describeIssue(issue: Issue | undefined): string {
  if (issue?.code === 'invalid_type') return `must be of type ${issue.expected}`
  if (issue?.code === 'invalid_value') return `must be one of ${issue.values?.join(', ')}`
  return 'is out of range or of another type'
}
