import type { PlatformManifest } from '@agent/plugin-sdk'
import { parseWord } from '#config/schema/words.ts'
import { checkSchema } from '#kernel/schema/json-schema.ts'
import type { JsonSchema, SchemaCheck } from '#kernel/schema/schema-check.ts'

/** A key of `extra` that a platform cannot do without, and that can be typed as one word. */
export interface NeededSetting {
  readonly key: string
  /** What a person reads of it. */
  readonly prompt: string
  readonly schema: JsonSchema
}

const plainTypes: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean'])

/** The keys that the schema of a platform requires. Sections and lists are written into config.yaml by hand. */
export function findNeeded({ configSchema = {} }: Pick<PlatformManifest, 'configSchema'>): readonly NeededSetting[] {
  const { required, properties } = configSchema as {
    readonly required?: readonly string[]
    readonly properties?: Record<string, JsonSchema>
  }
  return (required ?? []).flatMap((key) => {
    const schema = properties?.[key]
    if (!schema || !plainTypes.has(schema.type) || 'default' in schema) return []
    return [{ key, schema, prompt: typeof schema.description === 'string' ? schema.description : key }]
  })
}

/** What was typed, as its schema wants it. The problem follows the name of the key. */
export function readNeeded({ schema }: NeededSetting, typed: string): Promise<SchemaCheck> {
  return checkSchema(schema, toValue(schema.type, typed))
}

/** A text that is no number or word is left as it is, so that the schema says what is wrong. */
function toValue(type: unknown, typed: string): unknown {
  if (type === 'boolean') return parseWord(typed) ?? typed
  const isNumber = type !== 'string' && typed.trim() !== '' && Number.isFinite(Number(typed))
  return isNumber ? Number(typed) : typed
}
