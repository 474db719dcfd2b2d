import { fail } from '@agent/plugin-sdk/errors'
import type { Contribution } from './catalog.ts'
import { checkSchema, type JsonSchema } from './json-schema.ts'
import { because, type Reason } from './reasons.ts'

/** The settings of a contribution as its code gets them: checked, defaults filled in. */
export async function readContributionConfig(contribution: Contribution): Promise<unknown> {
  const { plugin, settings } = contribution
  const schema = contribution.spec.configSchema ?? (contribution.kind === 'platform' ? undefined : plugin.manifest.configSchema)
  if (schema === undefined) return settings.value ?? {}
  const checked = await checkSchema(schema, { ...pickKnown(schema, settings.block), ...(settings.value as object | undefined) })
  if (checked.ok) return checked.value
  const reason = describe(settings.key, checked)
  throw fail('PLUGIN_BLOCKED', { plugin: plugin.manifest.id, reason: reason.text, fix: reason.fix })
}

/** Of a block of config.yaml, what the schema knows. */
function pickKnown(schema: JsonSchema, block: unknown): Record<string, unknown> {
  if (typeof block !== 'object' || block === null) return {}
  const known = schema.properties as Readonly<Record<string, unknown>> | undefined
  return Object.fromEntries(Object.entries(block).filter(([name]) => known !== undefined && Object.hasOwn(known, name)))
}

/** Why settings do not fit. A schema is compiled only where something is set, or where something must be. */
export async function checkSettings(
  schema: JsonSchema | undefined,
  settings: { readonly key: string; readonly value: unknown },
): Promise<Reason | undefined> {
  if (schema === undefined || (settings.value === undefined && !demandsValue(schema))) return undefined
  const checked = await checkSchema(schema, settings.value ?? {})
  return checked.ok ? undefined : describe(settings.key, checked)
}

function describe(root: string, { path, problem }: { readonly path: string; readonly problem: string }): Reason {
  const key = path === '' ? root : `${root}.${path}`
  return because('config-invalid', { key, problem, missing: problem === 'is missing' })
}

function demandsValue(schema: JsonSchema): boolean {
  const properties = (schema.properties ?? {}) as Readonly<Record<string, { readonly default?: unknown } | undefined>>
  return Array.isArray(schema.required) && schema.required.some((name) => properties[String(name)]?.default === undefined)
}
