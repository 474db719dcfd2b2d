import { asRecord } from '../../request/refusal.ts'

export type Schema = Readonly<Record<string, unknown>>

interface Resolved {
  readonly schema: Schema
  /** The references that led here: one of them again would never end. */
  readonly path: readonly string[]
}

/** Follows `$ref` inside of a schema, and puts together what `allOf` says. */
export function openReferences(root: Schema): { resolve(found: unknown, path: readonly string[]): Resolved } {
  const resolve = (found: unknown, path: readonly string[]): Resolved => {
    const { $ref: reference, ...own } = asRecord(found) ?? {}
    if (typeof reference === 'string') {
      if (path.includes(reference)) return { schema: { type: 'object', ...own }, path }
      return resolve({ ...find(reference, root), ...own }, [...path, reference])
    }
    return Array.isArray(own.allOf) ? combine(own, own.allOf, path) : { schema: own, path }
  }
  const combine = ({ allOf: _, ...own }: Schema, parts: readonly unknown[], path: readonly string[]): Resolved => {
    const resolved = parts.map((part) => resolve(part, path))
    const all = [...resolved.map(({ schema }) => schema), own]
    const properties = Object.assign({}, ...all.map((schema) => asRecord(schema.properties)))
    const required = all.flatMap((schema) => (Array.isArray(schema.required) ? schema.required : []))
    const schema = Object.assign({}, ...all, { properties, required })
    if (Object.keys(properties).length === 0) delete schema.properties
    return { schema, path: [...path, ...resolved.flatMap((one) => one.path)] }
  }
  return { resolve }
}

function find(reference: string, root: Schema): Schema {
  const names = reference.startsWith('#/') ? reference.slice(2).split('/') : []
  const plain = names.map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
  return plain.reduce<Schema>((at, name) => asRecord(at[name]) ?? {}, names.length > 0 ? root : {})
}
