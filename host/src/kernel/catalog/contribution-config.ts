import { fail } from '@agent/plugin-sdk/errors'
import { kinds } from '../kinds.ts'
import { checkSchema } from '../schema/json-schema.ts'
import type { JsonSchema } from '../schema/schema-check.ts'
import type { Contribution } from './catalog.ts'
import { describeMisfit } from './check-settings.ts'

/** The settings of a contribution as its code gets them: checked, defaults filled in. */
export async function readContributionConfig(contribution: Contribution): Promise<unknown> {
  const { plugin, settings } = contribution
  const schema = contribution.spec.configSchema ?? (kinds[contribution.kind].settings === 'own' ? undefined : plugin.manifest.configSchema)
  if (schema === undefined) return settings.value ?? {}
  const checked = await checkSchema(schema, { ...pickKnown(schema, settings.block), ...(settings.value as object | undefined) })
  if (checked.ok) return checked.value
  const reason = describeMisfit(settings.key, checked)
  throw fail('PLUGIN_BLOCKED', { plugin: plugin.manifest.id, reason: reason.text, fix: reason.fix })
}

/** Of a block of config.yaml, what the schema knows. */
function pickKnown(schema: JsonSchema, block: unknown): Record<string, unknown> {
  if (typeof block !== 'object' || block === null) return {}
  const known = schema.properties as Readonly<Record<string, unknown>> | undefined
  return Object.fromEntries(Object.entries(block).filter(([name]) => known !== undefined && Object.hasOwn(known, name)))
}
