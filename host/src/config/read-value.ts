import { fail } from '@agent/plugin-sdk/errors'
import { parseYaml } from './file/parse-yaml.ts'
import type { KnownKeys } from './schema/keys.ts'

/** The JSON Schema that a plugin has for a key below `extra` or `config`, where it says something of it. */
export type SchemaOf = (path: readonly string[]) => { readonly type?: unknown } | undefined

/** What the words of a command line mean for a setting: its type decides. */
export function readValue(text: string, path: readonly string[], keys: KnownKeys, schemaOf: SchemaOf = () => undefined): unknown {
  if (keys.takesText(path, text) || schemaOf(path)?.type === 'string') return text
  const parsed = parseYaml(text)
  const value: unknown = parsed.ok ? parsed.document.toJS({ maxAliasCount: -1 }) : undefined
  const isBracketed = /^\s*[[{]/.test(text)
  const takesText = keys.takesAnything(path) && schemaOf(path)?.type === undefined
  // Where nothing is known of a setting, only brackets make a list or a section: "Bot: " and "# hello" are texts. YAML would fold the lines of a key.
  const isFolded = typeof value === 'string' && text.includes('\n')
  if (takesText && !isBracketed && (value == null || typeof value === 'object' || isFolded)) return text
  const problem = parsed.ok ? 'is empty; agent config unset brings the default back' : `is not a YAML value: ${parsed.fault.reason}`
  if (value == null) throw fail('CONFIG_VALUE_INVALID', { key: path.join('.'), problem })
  return value
}
