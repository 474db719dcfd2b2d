import type { JsonSchema } from './json-schema.ts'

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

function anyOf(options: unknown): QuickCheck | undefined {
  const checks = Array.isArray(options) ? options.map(compileQuickly) : [undefined]
  if (!checks.every((check) => check !== undefined)) return undefined
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
  readonly check: QuickCheck
  /** What stands in for a value that is not there: a default, undefined where none is needed, `unsure` where one is. */
  readonly absent: () => unknown
}

function compileObject(schema: JsonSchema): QuickCheck | undefined {
  const fields = compileFields(schema)
  const name = compileQuickly(schema.propertyNames ?? {})
  const others = schema.additionalProperties === false ? () => unsure : compileQuickly(otherwise(schema.additionalProperties))
  if (fields === undefined || name === undefined || others === undefined) return undefined
  return (value) => {
    if (!isPlain(value)) return unsure
    const filled: Record<string, unknown> = {}
    const fits =
      Object.keys(value).every((key) => key !== '__proto__' && name(key) !== unsure) &&
      fillFields(fields, value, filled) &&
      fillOthers(fields, others, value, filled)
    return fits ? filled : unsure
  }
}

const otherwise = (schema: unknown): unknown => (schema === undefined || schema === true ? {} : schema)

function fillFields(fields: ReadonlyMap<string, Field>, value: JsonSchema, filled: Record<string, unknown>): boolean {
  for (const [name, { check, absent }] of fields) {
    const fitting = Object.hasOwn(value, name) ? check(value[name]) : absent()
    if (fitting === unsure) return false
    if (fitting !== undefined) filled[name] = fitting
  }
  return true
}

function fillOthers(fields: ReadonlyMap<string, Field>, check: QuickCheck, value: JsonSchema, filled: Record<string, unknown>): boolean {
  for (const name of Object.keys(value)) {
    if (fields.has(name)) continue
    const fitting = check(value[name])
    if (fitting === unsure) return false
    filled[name] = fitting
  }
  return true
}

function compileFields({ properties = {}, required = [] }: JsonSchema): ReadonlyMap<string, Field> | undefined {
  if (!isPlain(properties) || !Array.isArray(required)) return undefined
  const fields = new Map<string, Field>()
  for (const [name, inner] of Object.entries(properties)) {
    const check = compileQuickly(inner)
    const absent = check && compileDefault(inner as JsonSchema, check, required.includes(name))
    if (check === undefined || absent === undefined || name === '__proto__') return undefined
    fields.set(name, { check, absent })
  }
  return required.every((name) => fields.has(name)) ? fields : undefined
}

/** A default that is an object gets the defaults of its own fields. */
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
