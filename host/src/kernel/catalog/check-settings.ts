import { because, type Reason } from '../reasons.ts'
import { checkSchema } from '../schema/json-schema.ts'
import type { JsonSchema } from '../schema/schema-check.ts'

/** Why settings do not fit. A schema is compiled only where something is set, or where something must be. */
export async function checkSettings(
  schema: JsonSchema | undefined,
  settings: { readonly key: string; readonly value: unknown },
): Promise<Reason | undefined> {
  if (schema === undefined || (settings.value === undefined && !demandsValue(schema))) return undefined
  const checked = await checkSchema(schema, settings.value ?? {})
  return checked.ok ? undefined : describeMisfit(settings.key, checked)
}

/** Which setting is wrong, and how. */
export function describeMisfit(root: string, { path, problem }: { readonly path: string; readonly problem: string }): Reason {
  const key = path === '' ? root : `${root}.${path}`
  return because('config-invalid', { key, problem, missing: problem === 'is missing' })
}

function demandsValue(schema: JsonSchema): boolean {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, { readonly default?: unknown } | undefined>>
  return Array.isArray(schema.required) && schema.required.some((name) => properties[String(name)]?.default === undefined)
}
