import type * as z from 'zod'

/** The part of zod's inner definition that is read here; it is the same for every kind of schema. */
interface Definition {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>
  readonly innerType?: z.core.$ZodType
  readonly element?: z.core.$ZodType
  readonly valueType?: z.core.$ZodType
  readonly options?: readonly z.core.$ZodType[]
  readonly getter?: () => z.core.$ZodType
}

/** What is wrong, in words; a name that is not known comes with the nearest that is, and with all of them. */
export function explainIssue(issue: z.core.$ZodIssue, schema: z.core.$ZodType): string {
  if (issue.code === 'unrecognized_keys') return describeUnknown('field', issue.keys[0] ?? '', keysAt(schema, issue.path))
  if (issue.code === 'invalid_value' && typeof issue.input === 'string')
    return describeUnknown('value', issue.input, issue.values.map(String))
  return issue.message
}

/** "colur" is no field here: did you mean "colour"? The fields are colour, size. */
export function describeUnknown(what: string, given: string, known: readonly string[]): string {
  const nearest = nearestOf(given, known)
  const hint = nearest === undefined ? '' : `: did you mean "${nearest}"?`
  return `"${given}" is no ${what} here${hint || '.'} The ${what}s are ${known.join(', ')}`
}

/** The place as a definition has it: what is an element of a list there has a name, and contributions stand at the top. */
export function definitionPath(path: readonly PropertyKey[], written: unknown): string {
  let at = written
  const words = path.map((key) => {
    at = typeof at === 'object' && at !== null ? (at as Record<PropertyKey, unknown>)[key] : undefined
    const { id, name } = (typeof at === 'object' && at !== null ? at : {}) as { readonly id?: unknown; readonly name?: unknown }
    const called = typeof id === 'string' ? id : name
    return typeof key === 'number' && typeof called === 'string' ? called : String(key)
  })
  return words.join('.').replace(/^contributes\./, '') || '(top)'
}

function keysAt(schema: z.core.$ZodType, path: readonly PropertyKey[]): readonly string[] {
  const { shape, innerType, element, valueType, options, getter } = schema._zod.def as Definition
  const inside = innerType ?? getter?.()
  if (inside) return keysAt(inside, path)
  if (options) return [...new Set(options.flatMap((option) => keysAt(option, path)))]
  if (path.length === 0) return Object.keys(shape ?? {})
  const next = shape?.[String(path[0])] ?? element ?? valueType
  return next ? keysAt(next, path.slice(1)) : []
}

function nearestOf(given: string, known: readonly string[]): string | undefined {
  const near = known.map((name) => ({ name, changes: countChanges(given.toLowerCase(), name.toLowerCase()) }))
  const [best] = near.sort((one, other) => one.changes - other.changes)
  return best && best.changes <= Math.max(1, Math.floor(given.length / 3)) ? best.name : undefined
}

/** Letters that are more, less or others. */
function countChanges(left: string, right: string): number {
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...left].entries()) {
    const next = [index + 1]
    for (let at = 0; at < right.length; at++) {
      next.push(Math.min((row[at] ?? 0) + (letter === right[at] ? 0 : 1), (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1))
    }
    row = next
  }
  return row[right.length] ?? 0
}
