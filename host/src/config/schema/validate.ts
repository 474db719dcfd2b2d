import type * as z from 'zod/mini'
import { quote } from '#kernel/schema/quote.ts'
import { defaultConfig } from './defaults.ts'
import { isTree, mergeDefaults, valueAt, withoutPaths, withValueAt } from './merge.ts'
import { ownerOf } from './path-owner.ts'
import { namesIn } from './reference-names.ts'
import { type Config, configSchema } from './schema.ts'

/** Something that does not fit, by path; the file and the line are found by the caller. */
export interface Misfit {
  readonly path: readonly string[]
  readonly problem: string
  readonly unknownKey: boolean
}

export interface Validated {
  readonly config: Config
  readonly misfits: readonly Misfit[]
  /** What is left of the file's values: sections that misfit are gone from it. */
  readonly used: unknown
}

/** Fills in defaults. `written` has the references to variables that `value` has no more: what comes from a variable is not quoted. What does not fit is reported and left out, so that the rest still holds. */
export function validateConfig(value: unknown, known: readonly Misfit[] = [], written: unknown = value): Validated {
  const misfits = [...known]
  let used = leaveOut(value, known)
  // Compiling a fast parser (zod's default) costs more than the one parse that most processes make.
  for (;;) {
    const result = configSchema.safeParse(mergeDefaults(defaultConfig, used), { jitless: true })
    if (result.success) return { config: result.data, misfits, used }
    const found = result.error.issues.flatMap((issue) => misfitsOf(issue, used, written))
    const before = used
    used = leaveOut(used, found)
    misfits.push(...found)
    // Nothing left to leave out would mean that a default does not fit its own schema.
    if (JSON.stringify(before) === JSON.stringify(used)) throw result.error
  }
}

function leaveOut(value: unknown, misfits: readonly Misfit[]): unknown {
  const switched = new Map<string, readonly string[]>()
  const paths: (readonly string[])[] = []
  for (const { path } of misfits) {
    const section = sectionOf(path)
    if (section === undefined) paths.push(settingPath(value, path))
    else switched.set(section.join('.'), section)
  }
  // The rest of a platform, plugin or server is not used without what does not fit.
  return [...switched.values()].reduce((rest, section) => withValueAt(rest, section, { enabled: false }), withoutPaths(value, paths))
}

/** What is switched off where something in it does not fit. */
function sectionOf(path: readonly string[]): readonly string[] | undefined {
  const { plugin, platform, server } = ownerOf(path)
  if (platform !== undefined) return ['platforms', platform]
  // A name that is none stays one, whatever is below it.
  if (server !== undefined) return path.length === 2 ? undefined : ['mcp_servers', server]
  return plugin === undefined ? undefined : ['plugins', 'entries', plugin]
}

// One wrong item makes the whole list unsure: the key of the list is left out.
function settingPath(value: unknown, path: readonly string[]): readonly string[] {
  for (let length = 1; length < path.length; length++) {
    if (!isTree(valueAt(value, path.slice(0, length)))) return path.slice(0, length)
  }
  return path
}

function misfitsOf(issue: z.core.$ZodIssue, value: unknown, written: unknown): Misfit[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ path: [...path, key], problem: 'there is no such key', unknownKey: true }))
  }
  if (issue.code === 'invalid_key')
    return [{ path, problem: 'has a name with other signs than letters, digits, _ and -, or a long one', unknownKey: false }]
  const inside = issue.code === 'invalid_union' ? nearestOf(issue) : undefined
  if (inside) return inside.flatMap((each) => misfitsOf({ ...each, path: [...issue.path, ...each.path] }, value, written))
  const found = valueAt(value, path)
  if (found === undefined && (issue.code === 'invalid_type' || issue.code === 'invalid_value'))
    return [{ path, problem: `is missing; it must be ${expected(issue)}`, unknownKey: false }]
  return [{ path, problem: `must be ${expected(issue)}, not ${describe(found, valueAt(written, path))}`, unknownKey: false }]
}

/** What is wrong with a section that may have one of several forms, by the form that it is nearest to; undefined where it is no section. */
function nearestOf({ errors }: z.core.$ZodIssueInvalidUnion): readonly z.core.$ZodIssue[] | undefined {
  const isOther = (issue: z.core.$ZodIssue): boolean =>
    issue.path.length === 0 && issue.code === 'invalid_type' && issue.expected !== 'object'
  return errors.some((issues) => issues.some(isOther))
    ? undefined
    : errors.reduce((one, other) => (other.length < one.length ? other : one))
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'text',
  int: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a section of keys and values',
  record: 'a section of keys and values',
}

function expected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type') return typeNames[issue.expected] ?? issue.expected
  if (issue.code === 'invalid_value') return `one of ${issue.values.map((value) => (value === '' ? '""' : String(value))).join(', ')}`
  if (issue.code === 'invalid_union') return 'text or a list of texts'
  if (issue.code === 'too_small') return issue.inclusive ? `at least ${issue.minimum}` : `more than ${issue.minimum}`
  if (issue.code === 'too_big') return issue.inclusive ? `at most ${issue.maximum}` : `less than ${issue.maximum}`
  return issue.message
}

function describe(value: unknown, written: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (isTree(value)) return 'a section'
  const [name] = typeof written === 'string' ? namesIn(written) : []
  if (name !== undefined) return `the value of ${name}`
  if (typeof value !== 'string') return String(value)
  const quoted = quote(value)
  return quoted.startsWith('"') ? `the text ${quoted}` : quoted
}
