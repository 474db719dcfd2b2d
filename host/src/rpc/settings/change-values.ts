import { isAgentError } from '@agent/plugin-sdk/errors'
import { changeConfig, previewConfig } from '#config/edit.ts'
import { readConfigFile } from '#config/file/config-file.ts'
import { currentSpelling } from '#config/file/migrations.ts'
import { valueAt } from '#config/schema/merge.ts'
import type { Config } from '#config/schema/schema.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { findMisfits } from '#kernel/catalog/check-settings.ts'
import { maskText } from '#observe/mask.ts'
import type { OpenedCatalog } from '../home/open-catalog.ts'
import type { HomeContext } from '../home-context.ts'
import { bringBack } from './hide-secrets.ts'

export interface ValuesPlan {
  /** What is wrong, by dotted key. With any of it nothing is written. */
  readonly faults: Readonly<Record<string, string>>
  /** Writes it; says what changed. */
  write(): readonly string[]
}

/** Looks at changes of config.yaml as a whole; null takes a key out. */
export async function planValues(
  context: Pick<HomeContext, 'environment'>,
  { home, loaded, catalog }: OpenedCatalog,
  changes: Readonly<Record<string, unknown>>,
): Promise<ValuesPlan> {
  const target = { home, processEnvironment: context.environment }
  const secrets = loaded.environment.secrets()
  const stored = readConfigFile(home.files.config).value
  const values = Object.fromEntries(
    Object.entries(changes).map(([wanted, given]) => {
      const path = currentSpelling(wanted).split('.')
      return [path.join('.'), bringBack(given, valueAt(stored, path), path.at(-1) ?? '', secrets)]
    }),
  )
  const keys = Object.keys(values)
  const hide = (faults: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(faults).map(([key, problem]) => [key, maskText(problem, secrets)]))
  try {
    const { config } = previewConfig(target, { values })
    return { faults: hide(await findPluginFaults(catalog, config, keys)), write }
  } catch (error) {
    return { faults: hide(faultOf(error)), write }
  }
  function write(): readonly string[] {
    const moved = changeConfig(target, { values })
    return [
      ...keys.map((key) => `${key} is ${values[key] === null ? 'back to its default' : 'set'}.`),
      ...moved.map((name) => `A secret is kept as ${name} in ${home.files.env}.`),
      ...keys.flatMap((key) => {
        const override = loaded.overriddenBy(key)
        return override ? [`${key} is shadowed by environment: ${override.name} is set.`] : []
      }),
    ]
  }
}

/** What plugins say of the settings that are theirs; of those that change here. */
async function findPluginFaults(catalog: Pick<Catalog, 'plugins'>, config: Config, keys: readonly string[]) {
  const faults: Record<string, string> = {}
  for (const { installed } of catalog.plugins) {
    for (const { path, problem } of installed ? await findMisfits(installed.manifest, config) : []) {
      const found = path.join('.')
      const key = keys.find((one) => `${found}.`.startsWith(`${one}.`) || `${one}.`.startsWith(`${found}.`))
      if (key !== undefined) faults[key] = found === key ? problem : `${problem} (${found})`
    }
  }
  return faults
}

function faultOf(error: unknown): Readonly<Record<string, string>> {
  if (isAgentError(error, 'CONFIG_VALUE_INVALID')) return { [String(error.params.key)]: String(error.params.problem) }
  if (!isAgentError(error, 'CONFIG_KEY_UNKNOWN')) throw error
  const { key, nearest } = error.params
  return { [String(key)]: nearest === undefined ? 'is no setting' : `is no setting; the nearest is ${nearest}` }
}
