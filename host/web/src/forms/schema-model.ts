import type { Wire } from '@agent/plugin-sdk'
import type { JsonSchema } from '../../../src/dashboard/api.ts'

export type Values = { readonly [key: string]: Wire | undefined }

export interface FormField {
  /** Dotted path from the root of the form. */
  readonly path: string
  readonly label: string
  readonly hint: string | undefined
  readonly kind: 'text' | 'long' | 'number' | 'whole' | 'check' | 'choice' | 'list' | 'json' | 'group'
  readonly choices: readonly string[]
  readonly fallback: Wire | undefined
  readonly required: boolean
  readonly fields: readonly FormField[]
}

function isObject(value: Wire | undefined): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)
}

/** The fields of an object's schema, in its order. What no field fits is edited as JSON, so that nothing is out of reach. */
export function fieldsOf(schema: JsonSchema, prefix = '', root: JsonSchema = schema): readonly FormField[] {
  const { properties, required } = schema
  if (!isObject(properties)) return []
  const needed = Array.isArray(required) ? required : []
  return Object.entries(properties).flatMap(([name, value]) => {
    const one = resolve(value, root)
    return one ? [fieldOf(one, name, prefix === '' ? name : `${prefix}.${name}`, needed.includes(name), root)] : []
  })
}

function fieldOf(schema: JsonSchema, name: string, path: string, required: boolean, root: JsonSchema): FormField {
  const kind = kindOf(schema, root)
  return {
    path,
    label: typeof schema.title === 'string' ? schema.title : labelOf(name),
    hint: typeof schema.description === 'string' ? schema.description : undefined,
    kind,
    choices: kind === 'choice' ? choicesOf(schema, root) : [],
    fallback: schema.default,
    required: required && schema.default === undefined,
    fields: kind === 'group' ? fieldsOf(schema, path, root) : [],
  }
}

/** `$ref` within the schema, and `x | null` as x. */
function resolve(value: Wire | undefined, root: JsonSchema): JsonSchema | undefined {
  if (!isObject(value)) return undefined
  const { $ref } = value
  if (typeof $ref === 'string' && $ref.startsWith('#/')) {
    let found: Wire | undefined = root
    for (const part of $ref.slice(2).split('/')) found = isObject(found) ? found[part] : undefined
    return isObject(found) && found.$ref === undefined ? { ...found, ...without(value) } : undefined
  }
  const some = variantsOf(value)
  const rest = some.filter((variant) => isObject(variant) && variant.type !== 'null')
  if (some.length === rest.length + 1 && rest.length === 1) return resolve({ ...without(value), ...(isObject(rest[0]) && rest[0]) }, root)
  return value
}

function without({ $ref: _ref, anyOf: _any, oneOf: _one, ...rest }: JsonSchema): JsonSchema {
  return rest
}

function variantsOf({ anyOf, oneOf }: JsonSchema): readonly Wire[] {
  const variants = anyOf ?? oneOf
  return Array.isArray(variants) ? variants : []
}

const kinds: Readonly<Record<string, FormField['kind']>> = { boolean: 'check', integer: 'whole', number: 'number', string: 'text' }

function kindOf(schema: JsonSchema, root: JsonSchema): FormField['kind'] {
  if (choicesOf(schema, root).length > 0) return 'choice'
  const { type, items, properties } = schema
  if (type === 'array') return isObject(items) && resolve(items, root)?.type === 'string' ? 'list' : 'json'
  if (type === 'object') return isObject(properties) && Object.keys(properties).length > 0 ? 'group' : 'json'
  if (type === 'string' && typeof schema.maxLength === 'number' && schema.maxLength > 500) return 'long'
  return (typeof type === 'string' && kinds[type]) || 'json'
}

function choicesOf(schema: JsonSchema, root: JsonSchema): readonly string[] {
  if (Array.isArray(schema.enum)) return schema.enum.filter((one): one is string => typeof one === 'string')
  const words = variantsOf(schema).map((variant) => resolve(variant, root)?.const)
  return words.every((word) => typeof word === 'string') ? words : []
}

/** `reply_to_mode` → `Reply to mode`. */
export function labelOf(name: string): string {
  const words = name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

export function valueAt(values: Values, path: string): Wire | undefined {
  let found: Wire | undefined = values
  for (const part of path.split('.')) found = isObject(found) ? found[part] : undefined
  return found
}

/** A copy with this value; undefined takes the key out, so that its default holds, and groups that became empty with it. */
export function setAt(values: Values, path: string, value: Wire | undefined): Values {
  const [first = '', ...rest] = path.split('.')
  const { [first]: old, ...others } = values
  const next = rest.length === 0 ? value : setAt(isObject(old) ? old : {}, rest.join('.'), value)
  if (next === undefined || (rest.length > 0 && isObject(next) && Object.keys(next).length === 0)) return others
  return { ...values, [first]: next }
}

/** What a text field means: an empty one of an optional field is no value. */
export function readText(field: FormField, text: string): Wire | undefined {
  if (text.trim() === '') return undefined
  if (field.kind === 'number' || field.kind === 'whole') {
    const number = Number(text)
    return Number.isFinite(number) ? number : text
  }
  if (field.kind === 'list')
    return text
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
  return text
}

export function showText(value: Wire | undefined): string {
  if (value === undefined || value === null) return ''
  if (Array.isArray(value) && value.every((one) => typeof one === 'string')) return value.join('\n')
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The leaves in which two forms differ; null where the newer one has none. */
export function changedKeys(fields: readonly FormField[], before: Values, after: Values): { readonly [path: string]: Wire } {
  const changes: Record<string, Wire> = {}
  for (const field of fields) {
    if (field.kind === 'group') Object.assign(changes, changedKeys(field.fields, before, after))
    else {
      const next = valueAt(after, field.path)
      if (JSON.stringify(next) !== JSON.stringify(valueAt(before, field.path))) changes[field.path] = next ?? null
    }
  }
  return changes
}
