import type { Body } from './fake-vendor.ts'

/** The vendor's `Schema`, field by field. */
const keywords = new Set(
  'type format title description nullable enum items minItems maxItems properties required minProperties maxProperties minLength maxLength pattern example anyOf propertyOrdering default minimum maximum'.split(
    ' ',
  ),
)
const formats: Readonly<Record<string, readonly string[]>> = {
  string: ['enum', 'date-time'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
}

/** The vendor's sentence about what is wrong with the schema of a tool. */
export function checkSchema(value: unknown, place: string): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return `Invalid value at '${place}' (type.googleapis.com/Schema)`
  const schema = value as Body
  const stranger = Object.keys(schema).find((key) => !keywords.has(key))
  if (stranger) return `Invalid JSON payload received. Unknown name "${stranger}" at '${place}': Cannot find field.`
  if (schema.anyOf !== undefined) return checkChoice(schema, place)
  if (typeof schema.type !== 'string') return `Invalid value at '${place}.type' (type.googleapis.com/Type), ${JSON.stringify(schema.type)}`
  return checkTyped(schema, schema.type.toLowerCase(), place)
}

function checkChoice({ anyOf, ...rest }: Body, place: string): string | undefined {
  if (Object.keys(rest).length > 0)
    return `${place} schema specified other fields alongside any_of. When using any_of, it must be the only field set.`
  const options = Array.isArray(anyOf) ? anyOf : [anyOf]
  return options.map((option, index) => checkSchema(option, `${place}.any_of[${index}]`)).find((wrong) => wrong !== undefined)
}

function checkTyped(schema: Body, type: string, place: string): string | undefined {
  if (!['string', 'number', 'integer', 'boolean', 'array', 'object'].includes(type))
    return `Invalid value at '${place}.type' (type.googleapis.com/Type), "${type}"`
  if (schema.enum !== undefined && (type !== 'string' || !(schema.enum as unknown[]).every((one) => typeof one === 'string' && one !== '')))
    return `${place}.enum: only allowed for STRING type`
  if (schema.format !== undefined && !formats[type]?.includes(String(schema.format)))
    return `${place}.format: only 'enum' and 'date-time' are supported for STRING type`
  if (type === 'array') return schema.items === undefined ? `${place}.items: missing field.` : checkSchema(schema.items, `${place}.items`)
  return type === 'object' ? checkProperties(schema, place) : undefined
}

function checkProperties({ properties, required }: Body, place: string): string | undefined {
  const known = Object.entries((properties ?? {}) as Body)
  if (properties !== undefined && known.length === 0) return `${place}.properties: should be non-empty for OBJECT type`
  const [missing] = ((required ?? []) as string[]).filter((name) => !known.some(([own]) => own === name))
  if (missing !== undefined) return `${place}.required[0]: property is not defined`
  return known.map(([name, inner]) => checkSchema(inner, `${place}.properties[${name}]`)).find((wrong) => wrong !== undefined)
}
