import type { EnvManifest, PlatformManifest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Environment } from '#config/environment/environment.ts'
import { variablePrefix } from '#config/platform-settings.ts'
import { type Catalog, type Listed, listedOf } from '#kernel/catalog/catalog.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import type { Reason } from '#kernel/reasons.ts'
import { findNeeded, type NeededSetting } from './needed-settings.ts'

/** What a person fills in to use a messaging platform. */
export interface PlatformForm {
  readonly id: string
  readonly label: string
  readonly spec: PlatformManifest
  /** Id of the plugin that brings it. */
  readonly plugin: string
  readonly docsUrl?: string
  /** Absent where it would run as it is. */
  readonly reason?: Reason
  /** The plugin as a whole is switched off. */
  readonly pluginOff: boolean
  /** What it needs to connect; required ones first. */
  readonly fields: readonly EnvManifest[]
  /** Keys of `extra` that it needs beside them. */
  readonly settings: readonly NeededSetting[]
  /** How a person is named there. */
  readonly person: EnvManifest['form']
  /** Variables that say who may write, and where the agent reports. */
  readonly access: { readonly allowed: string; readonly everybody: string; readonly home: string }
}

/** The forms of every messaging platform that is installed, by label. */
export function listForms(catalog: Pick<Catalog, 'plugins'>, environment: Pick<Environment, 'platform'>): readonly PlatformForm[] {
  const forms = catalog.plugins.flatMap((plugin) =>
    (plugin.installed?.manifest.contributes.platforms ?? [])
      .filter(({ door }) => door === 'messaging')
      .map((spec) => toForm(plugin, spec, environment)),
  )
  // A development link stands in for the bundled plugin of the same id.
  const byId = new Map(forms.toReversed().map((form) => [form.id, form]))
  return [...byId.values()].sort((one, other) => one.label.localeCompare(other.label))
}

export function findForm(forms: readonly PlatformForm[], word: string): PlatformForm {
  const wanted = word.trim().toLowerCase().replaceAll('_', '-')
  const found = forms.find(({ id, label }) => id === wanted || label.toLowerCase() === wanted)
  if (found) return found
  const nearest = nearestName(
    wanted,
    forms.map(({ id }) => id),
  )
  throw fail('PLATFORM_UNKNOWN', { platform: word, ...(nearest === undefined ? {} : { nearest }) })
}

function toForm(plugin: Listed, spec: PlatformManifest, environment: Pick<Environment, 'platform'>): PlatformForm {
  const prefix = variablePrefix(spec.id, environment)
  const access = {
    allowed: `${prefix}_ALLOWED_USERS`,
    everybody: `${prefix}_ALLOW_ALL_USERS`,
    home: environment.platform(spec.id)?.home ?? `${prefix}_HOME_CHANNEL`,
  }
  const later = new Set<string>(Object.values(access))
  const manifest = plugin.installed?.manifest
  const own = (manifest?.env ?? []).filter(({ name }) => spec.env.includes(name) && !later.has(name))
  const reason = listedOf({ plugins: [plugin] }, 'platform').find(({ id }) => id === spec.id)?.reason
  return {
    ...{ id: spec.id, label: spec.label, spec, plugin: plugin.id, access },
    ...(manifest?.docsUrl === undefined ? {} : { docsUrl: manifest.docsUrl }),
    ...(reason === undefined ? {} : { reason }),
    person: manifest?.env.find(({ name }) => name === access.allowed)?.form,
    pluginOff: isPluginOff(plugin, reason),
    settings: findNeeded(spec),
    fields: [...own.filter(({ required }) => required), ...own.filter(({ required }) => !required)],
  }
}

function isPluginOff({ source }: Listed, reason: Reason | undefined): boolean {
  if (reason?.code === 'not-enabled') return source === 'local'
  return reason?.code === 'disabled' && reason.text.startsWith('plugins.')
}
