import type * as z from 'zod'

/** The first problem of a zod error as a path and plain words. */
export function describeIssue(issues: readonly z.core.$ZodIssue[]): { readonly path: string; readonly problem: string } {
  const issue = issues[0]
  if (issue === undefined) return { path: '', problem: 'does not fit' }
  if (issue.code === 'unrecognized_keys') return { path: formatPath([...issue.path, issue.keys[0] ?? '']), problem: 'is not known here' }
  if (issue.code === 'invalid_union') return describeUnion(issue)
  return { path: formatPath(issue.path), problem: explain(issue) }
}

/** Of the branches, the one that got furthest is the one that was meant. */
function describeUnion(issue: z.core.$ZodIssueInvalidUnion): { readonly path: string; readonly problem: string } {
  const path = formatPath(issue.path)
  const first = issue.errors.flatMap((branch) => branch.slice(0, 1))
  const deepest = first.reduce<z.core.$ZodIssue | undefined>(
    (best, each) => (each.path.length > (best?.path.length ?? 0) ? each : best),
    undefined,
  )
  if (deepest) {
    const inner = describeIssue([deepest])
    return { path: formatPath([...issue.path, inner.path]), problem: inner.problem }
  }
  const values = first.flatMap((each) => (each.code === 'invalid_value' ? each.values : []))
  if (values.length > 0 && first.every((each) => each.code === 'invalid_value')) return { path, problem: `must be ${oneOf(values)}` }
  const types = first.flatMap((each) => (each.code === 'invalid_type' ? [article(each.expected)] : []))
  if (types.length === first.length) return { path, problem: `must be ${types.join(' or ')}, not ${nameOf(issue.input)}` }
  return { path, problem: 'has none of the allowed forms' }
}

function explain(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing'
      return issue.expected === 'int' ? 'must be a whole number' : `must be ${article(issue.expected)}, not ${nameOf(issue.input)}`
    case 'invalid_value':
      // What stands there may have come from a variable.
      return issue.input === undefined ? 'is missing' : `must be ${oneOf(issue.values)}`
    case 'too_small':
      return bound(issue.inclusive === false ? 'more than' : 'at least', issue.minimum, issue.origin)
    case 'too_big':
      return bound(issue.inclusive === false ? 'less than' : 'at most', issue.maximum, issue.origin)
    case 'invalid_format':
      return issue.format === 'regex' ? `must match ${issue.pattern}` : `must be a valid ${issue.format}`
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`
    default:
      return `does not fit (${issue.message})`
  }
}

function bound(how: string, limit: number | bigint, origin: string): string {
  if (origin === 'string') return `must have ${how} ${limit} characters`
  return origin === 'array' || origin === 'set' ? `must have ${how} ${limit} items` : `must be ${how} ${limit}`
}

function formatPath(path: readonly PropertyKey[]): string {
  return path
    .filter((part) => part !== '')
    .map(String)
    .join('.')
}

function oneOf(values: readonly unknown[]): string {
  return values.length === 1 ? show(values[0]) : `one of ${values.map(show).join(', ')}`
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length > 60 ? `${text.slice(0, 57)}…` : text
}

function article(type: string): string {
  if (type === 'null') return 'null'
  if (type === 'int') return 'a whole number'
  return type === 'object' || type === 'array' ? `an ${type}` : `a ${type === 'boolean' ? 'boolean (true or false)' : type}`
}

function nameOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'an array'
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
