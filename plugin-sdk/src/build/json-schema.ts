import * as z from 'zod'

/** A rule of a zod schema that JSON Schema cannot carry, named by its place. */
export interface Loss {
  readonly path: string
  readonly problem: string
}

/** The part of zod's inner definition that is read here; it is the same for every kind of schema. */
interface Definition {
  readonly type: string
  readonly coerce?: boolean
  readonly format?: string
  readonly catchall?: z.core.$ZodType
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly check: string; readonly format?: string } } }[]
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>
  readonly innerType?: z.core.$ZodType
  readonly element?: z.core.$ZodType
  readonly valueType?: z.core.$ZodType
  readonly keyType?: z.core.$ZodType
  readonly options?: readonly z.core.$ZodType[]
  readonly items?: readonly z.core.$ZodType[]
  readonly rest?: z.core.$ZodType | null
  readonly getter?: () => z.core.$ZodType
}

const exactTypes = new Set(
  'string number boolean null any unknown enum literal object record array tuple union optional nullable default prefault readonly lazy template_literal'.split(
    ' ',
  ),
)
const exactChecks = new Set('less_than greater_than multiple_of number_format min_length max_length length_equals string_format'.split(' '))
/** Formats for which a pattern or a `format` that the host checks is written. */
const exactFormats = new Set(
  'regex email url uuid guid cuid cuid2 ulid nanoid emoji ipv4 ipv6 cidrv4 cidrv6 base64 base64url e164 datetime date time duration lowercase uppercase includes starts_with ends_with safeint int32 uint32 float32 float64'.split(
    ' ',
  ),
)
const advice: Readonly<Record<string, string>> = {
  pipe: 'uses pipe, transform or preprocess, which a manifest cannot carry: take the plain value and convert it in the plugin',
  transform: 'uses transform, which a manifest cannot carry: convert the value in the plugin',
  intersection: 'uses an intersection, of which no closed form exists: write one object with extend',
  overwrite: 'uses trim, toLowerCase or another overwrite, which a manifest cannot carry: do it in the plugin',
  custom: 'uses refine, superRefine or custom, which a manifest cannot carry: check it in the plugin',
  catch: 'uses catch, which hides a wrong value: give a default and let the wrong value be named',
}

const adviceFor = (what: string): string => advice[what] ?? `uses ${what}, which JSON Schema cannot carry`

/** Everything below `schema` that would vanish silently on the way to JSON Schema. */
export function findLosses(schema: z.core.$ZodType, path: string, seen: Set<z.core.$ZodType> = new Set()): readonly Loss[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const definition = schema._zod.def as unknown as Definition
  const own = lossesOf(definition).map((problem) => ({ path, problem }))
  if (!exactTypes.has(definition.type)) return own
  return [...own, ...children(definition).flatMap(([key, child]) => findLosses(child, key === '' ? path : `${path}.${key}`, seen))]
}

function lossesOf(definition: Definition): readonly string[] {
  const losses: string[] = []
  if (!exactTypes.has(definition.type)) losses.push(adviceFor(definition.type))
  if (definition.coerce) losses.push('uses coerce, which a manifest cannot carry: take the plain value and convert it in the plugin')
  if (definition.catchall && definition.catchall._zod.def.type !== 'never') {
    losses.push('is an open object: list its keys, or use z.record for free keys')
  }
  if (definition.format !== undefined && !exactFormats.has(definition.format)) losses.push(adviceFor(`the format ${definition.format}`))
  for (const check of definition.checks ?? []) {
    const { check: kind, format } = check._zod.def
    if (!exactChecks.has(kind)) losses.push(adviceFor(kind))
    else if (format !== undefined && !exactFormats.has(format)) losses.push(adviceFor(`the format ${format}`))
  }
  return losses
}

function children(definition: Definition): readonly (readonly [string, z.core.$ZodType])[] {
  const found: [string, z.core.$ZodType][] = Object.entries(definition.shape ?? {})
  for (const [index, option] of (definition.options ?? []).entries()) found.push([`option ${index + 1}`, option])
  for (const [index, item] of (definition.items ?? []).entries()) found.push([`${index}`, item])
  if (definition.innerType) found.push(['', definition.innerType])
  if (definition.element) found.push(['*', definition.element])
  if (definition.keyType) found.push(['key', definition.keyType])
  if (definition.valueType) found.push(['*', definition.valueType])
  if (definition.rest) found.push(['rest', definition.rest])
  if (definition.getter) found.push(['', definition.getter()])
  return found
}

/** Draft 2020-12 of what may be written in a file: defaults are optional, every object is closed. */
export function toClosedSchema(schema: z.core.$ZodType, toJsonSchema: typeof z.toJSONSchema = z.toJSONSchema): Record<string, unknown> {
  const written = toJsonSchema(schema, {
    io: 'input',
    target: 'draft-2020-12',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema._zod.def.type === 'object') jsonSchema.additionalProperties = false
      // The bounds that every integer of JavaScript has say nothing and cost tokens in each tool list.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
    },
  })
  const { $schema: _draft, ...plain } = JSON.parse(JSON.stringify(written)) as Record<string, unknown>
  return plain
}
