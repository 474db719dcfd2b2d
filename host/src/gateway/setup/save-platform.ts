import { changeConfig, type EditTarget } from '#config/edit.ts'
import { readEnvFile } from '#config/environment/env-file.ts'
import type { PlatformForm } from './platform-form.ts'

export interface PlatformAnswers {
  /** Variables to be set; undefined takes one out. */
  readonly values: Readonly<Record<string, string | undefined>>
  /** Further keys of the platform, such as `unauthorized_dm_behavior`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Keys of `extra`. */
  readonly extra?: Readonly<Record<string, unknown>>
}

export interface SavedPlatform {
  /** Variables that were changed in `.env`. */
  readonly written: readonly string[]
  /** Variables whose value in the process holds instead of the one in `.env`. */
  readonly shadowed: readonly string[]
}

/** Writes the answers down and switches the platform on. Nothing waits in between, so that it is done as a whole. */
export function savePlatform(
  target: EditTarget,
  form: PlatformForm,
  { values, settings = {}, extra = {} }: PlatformAnswers,
): SavedPlatform {
  const { env } = target.home.files
  const before = readEnvFile(env).values
  const inProcess = (name: string): string | undefined => target.processEnvironment[name] || undefined
  const changed = Object.entries(values).filter(([name, value]) => value !== before[name])
  const keys = [...Object.entries(settings), ...Object.entries(extra).map(([key, value]) => [`extra.${key}`, value] as const)]
  const further = Object.fromEntries(keys.map(([key, value]) => [`platforms.${form.id}.${key}`, value]))
  changeConfig(target, { values: { ...further, ...switchOf(form, true) }, variables: Object.fromEntries(changed) })
  const written = changed.map(([name]) => name)
  return {
    written,
    shadowed: changed.filter(([name, value]) => inProcess(name) !== undefined && inProcess(name) !== value).map(([name]) => name),
  }
}

/** The keys that switch a platform on or off. On, a plugin that is off as a whole is on as well. */
export function switchOf({ id, plugin, pluginOff }: PlatformForm, on: boolean): Readonly<Record<string, boolean>> {
  return { ...(on && pluginOff ? { [`plugins.entries.${plugin}.enabled`]: true } : {}), [`platforms.${id}.enabled`]: on }
}
