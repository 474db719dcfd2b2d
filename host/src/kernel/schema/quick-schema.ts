import type { JsonSchema } from './schema-check.ts'

/** Answers a copy of a value that fits, defaults filled in; `unsure` for everything else. */
export type QuickCheck = (value: unknown) => unknown

/** It may fit or not: zod has the verdict, and the words for what is wrong. */
export const unsure = Symbol('unsure')

/**
 * The check of a schema made of common words only; undefined where there is any other word in it.
 * It stands in for zod, which takes longer to load than everything it checks, so it may only pass what zod passes.
 */
export function compileQuickly(schema: unknown): QuickCheck | undefined {
  if (!isPlain(schema)) return undefined
  if (Object.hasOwn(schema, 'anyOf')) return hasOnly(schema, ['anyOf']) ? anyOf(schema.anyOf) : undefined
  if (Object.hasOwn(schema, 'oneOf')) return hasOnly(schema, ['oneOf']) ? oneOf(schema.oneOf) : undefined
  if (Array.isArray(schema.type)) return compileTypes(schema, schema.type)
  const kind = kindOf(schema.type ?? 'any')
  if (kind === undefined || !hasOnly(schema, ['type', 'enum', 'const', ...kind.words])) return undefined
  const check = kind.compile(schema)
  const allowed = allowedValues(schema)
  if (check === undefined || allowed === undefined) return check
  return (value) => (allowed.includes(value) ? check(value) : unsure)
}

interface Kind {
  /** Keywords that this type may have. */
  readonly words: readonly string[]
  compile(schema: JsonSchema): QuickCheck | undefined
}

const bounds = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'] as const
const notes = ['title', 'description', '$schema', 'default']

const kinds: Readonly<Record<string, Kind>> = {
  any: { words: [], compile: () => (value) => (value === undefined ? unsure : value) },
  null: { words: [], compile: () => (value) => (value === null ? value : unsure) },
  boolean: { words: [], compile: () => (value) => (typeof value === 'boolean' ? value : unsure) },
  string: { words: ['minLength', 'maxLength', 'pattern'], compile: compileString },
  number: { words: bounds, compile: (schema) => compileNumber(schema, Number.isFinite) },
  integer: { words: bounds, compile: (schema) => compileNumber(schema, Number.isSafeInteger) },
  array: { words: ['items', 'minItems', 'maxItems'], compile: compileArray },
  object: { words: ['properties', 'required', 'additionalProperties', 'propertyNames'], compile: compileObject },
}

function hasOnly(schema: JsonSchema, words: readonly string[]): boolean {
  return Object.keys(schema).every((word) => words.includes(word) || notes.includes(word))
}

function kindOf(type: unknown): Kind | undefined {
  return typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
}

/** Each of the types takes its own words. */
function compileTypes(schema: JsonSchema, types: readonly unknown[]): QuickCheck | undefined {
  const wordsOf = (type: unknown): readonly string[] => ['enum', 'const', ...(kindOf(type)?.words ?? [])]
  if (!hasOnly(schema, ['type', ...types.flatMap(wordsOf)])) return undefined
  return anyOf(
    types.map((type) => ({ ...Object.fromEntries(Object.entries(schema).filter(([word]) => wordsOf(type).includes(word))), type })),
  )
}

function allowedValues(schema: JsonSchema): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema.const]
  return Object.hasOwn(schema, 'enum') ? (schema.enum as readonly unknown[]) : undefined
}

function compileOptions(options: unknown): readonly QuickCheck[] | undefined {
  const checks = Array.isArray(options) ? options.map(compileQuickly) : [undefined]
  return checks.every((check) => check !== undefined) ? checks : undefined
}

function oneOf(options: unknown): QuickCheck | undefined {
  const checks = compileOptions(options)
  return (
    checks &&
    ((value) => {
      const fitting = checks.map((check) => check(value)).filter((each) => each !== unsure)
      return fitting.length === 1 ? fitting[0] : unsure
    })
  )
}

function anyOf(options: unknown): QuickCheck | undefined {
  const checks = compileOptions(options)
  if (checks === undefined) return undefined
  return (value) => {
    for (const check of checks) {
      const fitting = check(value)
      if (fitting !== unsure) return fitting
    }
    return unsure
  }
}

function compileString(schema: JsonSchema): QuickCheck | undefined {
  const least = limitOf(schema, 'minLength', 0)
  const most = limitOf(schema, 'maxLength', Number.POSITIVE_INFINITY)
  const pattern = Object.hasOwn(schema, 'pattern') ? toPattern(schema.pattern) : /(?:)/
  if (least === undefined || most === undefined || pattern === undefined) return undefined
  return (value) => (typeof value === 'string' && value.length >= least && value.length <= most && pattern.test(value) ? value : unsure)
}

function toPattern(source: unknown): RegExp | undefined {
  try {
    return typeof source === 'string' ? new RegExp(source) : undefined
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}

function compileNumber(schema: JsonSchema, isNumber: (value: unknown) => boolean): QuickCheck | undefined {
  const [least, most, above, below] = bounds.map((word) =>
    limitOf(schema, word, word.endsWith('inimum') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY),
  )
  if (least === undefined || most === undefined || above === undefined || below === undefined) return undefined
  const fits = (value: number): boolean => value >= least && value <= most && value > above && value < below
  return (value) => (isNumber(value) && fits(value as number) ? value : unsure)
}

function limitOf(schema: JsonSchema, word: string, otherwise: number): number | undefined {
  const limit = Object.hasOwn(schema, word) ? schema[word] : otherwise
  return typeof limit === 'number' ? limit : undefined
}

function compileArray(schema: JsonSchema): QuickCheck | undefined {
  const least = limitOf(schema, 'minItems', 0)
  const most = limitOf(schema, 'maxItems', Number.POSITIVE_INFINITY)
  const check = compileQuickly(schema.items ?? {})
  if (least === undefined || most === undefined || check === undefined) return undefined
  return (value) => {
    if (!Array.isArray(value) || value.length < least || value.length > most) return unsure
    const items: unknown[] = []
    for (const item of value) {
      const fitting = check(item)
      if (fitting === unsure) return unsure
      items.push(fitting)
    }
    return items
  }
}

interface Field {
  readonly name: string
  readonly check: QuickCheck
  /** What stands in for a value that is not there: a default, undefined where none is needed, `unsure` where one is. */
  readonly absent: () => unknown
}

function compileObject(schema: JsonSchema): QuickCheck | undefined {
  const fields = compileFields(schema)
  const others = compileOthers(schema)
  if (fields === undefined || others === undefined) return undefined
  const known = new Set(fields.map((field) => field.name))
  return (value) => {
    if (!isPlain(value)) return unsure
    const filled: Record<string, unknown> = {}
    const found = fillFields(fields, value, filled)
    if (found === undefined) return unsure
    const names = Object.keys(value)
    return found === names.length || fillOthers(names, known, others, value, filled) ? filled : unsure
  }
}

/** How many of the fields are there; undefined where one does not fit. Written for a program that checks each manifest once: nothing gets warm. */
function fillFields(fields: readonly Field[], value: JsonSchema, filled: Record<string, unknown>): number | undefined {
  let found = 0
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] as Field
    const given = value[field.name]
    const fitting = given === undefined ? field.absent() : field.check(given)
    if (fitting === unsure) return undefined
    if (fitting !== undefined) filled[field.name] = fitting
    if (given !== undefined) found++
  }
  return found
}

type OtherCheck = (name: string, value: unknown) => unknown

function fillOthers(
  names: readonly string[],
  known: ReadonlySet<string>,
  check: OtherCheck,
  value: JsonSchema,
  filled: Record<string, unknown>,
): boolean {
  for (const name of names) {
    if (known.has(name)) continue
    const fitting = check(name, value[name])
    if (fitting === unsure) return false
    filled[name] = fitting
  }
  return true
}

/** What is not among the properties; nothing that could change a prototype. */
function compileOthers({ additionalProperties = true, propertyNames = { type: 'string' } }: JsonSchema): OtherCheck | undefined {
  if (additionalProperties === false) return () => unsure
  const check = compileQuickly(additionalProperties === true ? {} : additionalProperties)
  const named = compileQuickly(propertyNames)
  if (check === undefined || named === undefined) return undefined
  return (name, value) => (name === '__proto__' || named(name) === unsure ? unsure : check(value))
}

function compileFields({ properties = {}, required = [], propertyNames }: JsonSchema): readonly Field[] | undefined {
  if (!isPlain(properties) || !Array.isArray(required)) return undefined
  const fields: Field[] = []
  for (const [name, inner] of Object.entries(properties)) {
    const check = compileQuickly(inner)
    const absent = check && compileDefault(inner as JsonSchema, check, required.includes(name))
    // A name that every object has would be found where it was not given.
    if (check === undefined || absent === undefined || propertyNames !== undefined || name in Object.prototype) return undefined
    fields.push({ name, check, absent })
  }
  return required.every((name) => Object.hasOwn(properties, name)) ? fields : undefined
}

/** A default that is an object gets the defaults of its fields. */
function compileDefault(schema: JsonSchema, check: QuickCheck, required: boolean): Field['absent'] | undefined {
  if (!Object.hasOwn(schema, 'default')) return () => (required ? unsure : undefined)
  const value = schema.default
  if (Array.isArray(value)) return () => [...value]
  if (!isPlain(value)) return () => value
  return check(value) === unsure ? undefined : () => check(value)
}

function isPlain(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
