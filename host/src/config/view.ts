import { fail } from '@agent/plugin-sdk/errors'
import { maskText } from '#observe/mask.ts'
import { isSecretKey, maskSecret } from './environment/secret-keys.ts'
import { variables } from './environment/variables.ts'
import type { Loaded, OverridingVariable, ValueSource } from './file/loaded.ts'
import { currentSpelling } from './file/migrations.ts'
import { platformDefaults, readPlatformVariable } from './platform-settings.ts'
import { openKeys } from './schema/keys.ts'
import { isTree, valueAt } from './schema/merge.ts'

/** One setting as it holds now; secrets are masked. */
export interface Setting {
  readonly key: string
  readonly value: unknown
  readonly source: ValueSource
  /** The variable whose value holds instead of the configuration's. */
  readonly shadowedBy?: string
}

/** One setting or section. A key that does not exist is refused with the nearest one. */
export function viewSetting(loaded: Loaded, wanted: string): Setting {
  const key = currentSpelling(wanted)
  const path = key.split('.')
  const keys = openKeys()
  if (!keys.knows(path)) {
    const nearest = keys.nearest(path)
    throw fail('CONFIG_KEY_UNKNOWN', nearest === undefined ? { key } : { key, nearest })
  }
  return settingOf(loaded, key)
}

/** Every setting that has a value, and every other one that a variable sets. */
export function listSettings(loaded: Loaded): readonly Setting[] {
  const found = new Set(leafKeys(loaded.config, []))
  for (const { key } of variables) if (key !== undefined && loaded.overriddenBy(key)) found.add(key)
  return [...found].map((key) => settingOf(loaded, key))
}

function settingOf(loaded: Loaded, key: string): Setting {
  const override = loaded.overriddenBy(key)
  const value = override ? overridingValue(loaded, key, override) : (valueAt(loaded.config, key.split('.')) ?? platformDefault(key))
  return {
    key,
    value: maskTree(value, key.split('.').at(-1) ?? '', loaded.environment.secrets()),
    source: loaded.sourceOf(key),
    ...(override ? { shadowedBy: override.name } : {}),
  }
}

/** The configuration lists only what somebody has said of a platform. */
function platformDefault(key: string): unknown {
  const [section, , name = '', ...more] = key.split('.')
  return section === 'platforms' && more.length === 0 ? valueAt(platformDefaults, [name]) : undefined
}

// Some variables are asked for by their user alone and never copied into the configuration.
function overridingValue(loaded: Loaded, key: string, override: OverridingVariable): unknown {
  const read = readPlatformVariable(key, loaded.environment.reference(override.name) ?? '')
  if (key.startsWith('platforms.') && read !== undefined) return read
  const reads = variables.some((variable) => variable.name === override.name && variable.reading !== undefined)
  return reads ? valueAt(loaded.config, key.split('.')) : loaded.environment.get(override.name)
}

function maskTree(value: unknown, key: string, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return isSecretKey(key) && value !== '' ? maskSecret(value) : maskText(value, secrets)
  if (Array.isArray(value)) return value.map((item: unknown) => maskTree(item, key, secrets))
  if (!isTree(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, maskTree(item, name, secrets)]))
}

function leafKeys(value: unknown, path: readonly string[]): readonly string[] {
  if (!isTree(value)) return [path.join('.')]
  return Object.entries(value).flatMap(([key, item]) => leafKeys(item, [...path, key]))
}
