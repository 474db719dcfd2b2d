import type { Wire } from '@agent/plugin-sdk'
import { asRecord } from '../../request/refusal.ts'
import { openReferences, type Schema } from './references.ts'

/** What the vendor takes of a JSON schema; any other keyword is refused with the whole request. */
const keywords = new Set(
  'title description nullable minItems maxItems minLength maxLength pattern minimum maximum minProperties maxProperties propertyOrdering'.split(
    ' ',
  ),
)
const formats: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
}
const types = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object'])
/** Schemas inside of one tool; further ones are told as texts. */
const mostSchemas = 2_000

/** The schema of a tool in the words that the vendor takes; what it cannot say is left out, and the tool itself still checks it. */
export function narrowSchema(schema: { readonly [key: string]: Wire | undefined }): Schema {
  const references = openReferences(schema)
  let left = mostSchemas

  const narrow = (found: unknown, path: readonly string[]): Schema => {
    left -= 1
    if (left < 0) return { type: 'string' }
    const { schema: resolved, path: within } = references.resolve(found, path)
    const options = resolved.anyOf ?? resolved.oneOf
    if (Array.isArray(options) && options.length > 0) return narrowChoice(resolved, options, within)
    const names = typesOf(resolved)
    const concrete = names.filter((name) => name !== 'null')
    const nullable = names.includes('null') ? { nullable: true } : {}
    if (concrete.length > 1) return { anyOf: concrete.map((type) => ({ ...narrowOne(resolved, type, within), ...nullable })) }
    return { ...narrowOne(resolved, concrete[0] ?? 'string', within), ...nullable }
  }

  const narrowOne = (found: Schema, type: string, path: readonly string[]): Schema => {
    const narrowed: Record<string, unknown> = { type, ...keep(found, type) }
    if (type === 'array') narrowed.items = narrow(found.items ?? listOf(found.prefixItems)[0], path)
    const properties = Object.entries((type === 'object' && asRecord(found.properties)) || {})
    if (properties.length === 0) return narrowed
    narrowed.properties = Object.fromEntries(properties.map(([name, inner]) => [name, narrow(inner, path)]))
    const required = listOf(found.required).filter((name) => properties.some(([known]) => known === name))
    return required.length > 0 ? { ...narrowed, required } : narrowed
  }

  /** Beside `anyOf` nothing else may stand. */
  const narrowChoice = ({ anyOf: _, oneOf: __, ...around }: Schema, options: readonly unknown[], path: readonly string[]): Schema => {
    const concrete = options.filter((option) => !isNull(references.resolve(option, path).schema))
    const nullable = concrete.length < options.length ? { nullable: true } : {}
    const values = concrete.map((option) => asRecord(option)?.const)
    // A choice among single texts is a list of them.
    if (values.length > 0 && values.every((value) => typeof value === 'string'))
      return { ...narrowOne({ ...around, enum: values }, 'string', path), ...nullable }
    if (concrete.length === 1) return { ...narrow({ ...around, ...references.resolve(concrete[0], path).schema }, path), ...nullable }
    return { anyOf: concrete.map((option) => ({ ...narrow(option, path), ...nullable })) }
  }

  return narrow(schema, [])
}

function keep(schema: Schema, type: string): Schema {
  const kept: Record<string, unknown> = Object.fromEntries(Object.entries(schema).filter(([key]) => keywords.has(key)))
  const values = schema.const === undefined ? listOf(schema.enum) : [schema.const]
  const texts = values.filter((value) => value !== null && value !== '').map(String)
  // Only texts may be listed.
  if (type === 'string' && texts.length > 0) kept.enum = texts
  if (typeof schema.format === 'string' && formats[type]?.includes(schema.format)) kept.format = schema.format
  return kept
}

/** The types that a schema names, or that its other keywords mean. */
function typesOf(schema: Schema): readonly string[] {
  const named = (Array.isArray(schema.type) ? schema.type : [schema.type]).map((name) => String(name).toLowerCase())
  const known = named.filter((name) => types.has(name) || name === 'null')
  if (known.some((name) => name !== 'null')) return known
  return [meantType(schema), ...known]
}

function meantType(schema: Schema): string {
  if (schema.properties) return 'object'
  if (schema.items) return 'array'
  const value = schema.const ?? listOf(schema.enum)[0]
  return typeof value === 'number' || typeof value === 'boolean' ? typeof value : 'string'
}

const isNull = (schema: Schema): boolean => schema.type === 'null' || schema.const === null

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
