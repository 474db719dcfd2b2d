import type { Manifest, PlatformManifest } from '@agent/plugin-sdk'
import { type Installed, manifestName } from '../installed/manifest-file.ts'
import type { Quarantine } from '../isolation/faults.ts'
import { type IsolationSettings, isolationOf, requiresSandbox } from '../isolation/permission-set.ts'
import { contractKinds, specsOf } from '../kinds.ts'
import { because, type Reason } from '../reasons.ts'
import type { JsonSchema } from '../schema/schema-check.ts'
import { checkSettings } from './check-settings.ts'
import { served } from './find-misfit.ts'
import { fitsRange } from './version-range.ts'

export interface PluginSettings extends IsolationSettings {
  readonly deny: readonly string[]
}

export interface PlatformSwitch {
  readonly enabled?: boolean | undefined
  readonly extra?: unknown
}

/** What people have decided, and what the machine offers. */
export interface Switches {
  readonly settings: PluginSettings
  readonly platforms: Readonly<Record<string, PlatformSwitch | undefined>>
  readonly hasEnvironment: (name: string) => boolean
  readonly blocks: Readonly<Record<string, unknown>>
  readonly safeMode: boolean
  readonly ownCommands: readonly string[]
  /** Named in the advice for a missing variable. */
  readonly environmentFile: string
  readonly versions: { readonly agent: () => string; readonly node: string }
  readonly problems: readonly SettingsProblem[]
  readonly hasSandbox: () => boolean
  /** Folders of the home's own skills, by their names. */
  readonly homeSkills: () => Promise<ReadonlyMap<string, string>>
  /** What keeps a plugin from running that ended its child too often; asked only where a plugin has one. */
  readonly quarantineOf: (plugin: string) => Promise<Quarantine | undefined>
}

/** What config.yaml says wrongly about one plugin or one platform. */
export interface SettingsProblem {
  readonly level: 'error' | 'warning'
  readonly key: string
  readonly problem: string
  readonly plugin?: string
  readonly platform?: string
}

/** A contribution whose plugin runs. */
export interface Judged<Spec> {
  readonly plugin: Installed
  readonly spec: Spec
  readonly settings: { readonly key: string; readonly value: unknown }
}

/** What the usual kinds have in common. */
interface UsualSpec {
  readonly id: string
  readonly env?: readonly string[]
  readonly onByDefault?: boolean
  readonly configSchema?: JsonSchema | undefined
}

/** Why a plugin as a whole is off, looked at alone. */
export async function findPluginReason(plugin: Installed, switches: Switches): Promise<Reason | undefined> {
  const { manifest, source } = plugin
  const { entries, deny } = switches.settings
  const entry = entries[manifest.id]
  if (deny.includes(manifest.id)) return because('denied', { rest: JSON.stringify(deny.filter((id) => id !== manifest.id)) })
  if (switches.safeMode && source !== 'bundled') return because('safe-mode', {})
  // Before the switch: a setting that could not be read leaves the plugin switched off.
  const problem = findProblem(switches, (one) => one.plugin === manifest.id)
  if (problem) return problem
  if (entry?.enabled === false) return because('disabled', { key: `plugins.entries.${manifest.id}.enabled`, plugin: manifest.id })
  if ((source === 'local' || source === 'installed') && entry?.enabled !== true) return because('not-enabled', { plugin: manifest.id })
  return (
    (await findIsolationReason(plugin, switches)) ??
    findEngineReason(manifest, switches) ??
    findApiReason(plugin) ??
    checkSettings(manifest.configSchema, { key: `plugins.entries.${manifest.id}.config`, value: entry?.config })
  )
}

/** Why a platform does not run although its plugin does. */
export async function findPlatformReason(
  { plugin, spec, settings }: Judged<PlatformManifest>,
  switches: Switches,
): Promise<Reason | undefined> {
  const { manifest } = plugin
  const own = switches.platforms[spec.id]
  const problem = findProblem(switches, (one) => one.platform === spec.id)
  if (problem) return problem
  if (own?.enabled === false) return because('disabled', { key: `platforms.${spec.id}.enabled`, plugin: manifest.id })
  const missing = findMissing(manifest, spec.env, switches)
  if (missing) return missing
  const wished = own?.enabled === true || switches.settings.entries[manifest.id]?.enabled === true
  if (!wished && !spec.onByDefault && requiredNames(manifest, spec.env).length === 0) return because('not-enabled', { plugin: manifest.id })
  return checkSettings(spec.configSchema, settings)
}

/** Why a contribution of a usual kind is not used although its plugin runs. */
export async function findReason({ plugin, spec, settings }: Judged<UsualSpec>, switches: Switches): Promise<Reason | undefined> {
  const { manifest } = plugin
  const isOn = spec.onByDefault !== false || switches.settings.entries[manifest.id]?.enabled === true
  if (!isOn) return because('not-enabled', { plugin: manifest.id })
  return findMissing(manifest, spec.env ?? [], switches) ?? checkSettings(spec.configSchema, settings)
}

function findMissing(manifest: Manifest, names: readonly string[], { hasEnvironment, environmentFile }: Switches): Reason | undefined {
  const missing = requiredNames(manifest, names).filter((name) => !hasEnvironment(name))
  return missing.length === 0 ? undefined : because('env-missing', { names: missing.join(', '), file: environmentFile })
}

function findProblem({ problems }: Switches, concerns: (one: SettingsProblem) => boolean): Reason | undefined {
  const found = problems.find((one) => one.level === 'error' && concerns(one))
  return found && because('config-invalid', { key: found.key, problem: found.problem, missing: false })
}

function requiredNames(manifest: Manifest, names: readonly string[]): readonly string[] {
  return manifest.env.filter((each) => each.required && names.includes(each.name)).map((each) => each.name)
}

/** Why the child of a plugin cannot be started, or must not be. */
async function findIsolationReason(plugin: Installed, { settings, hasSandbox, quarantineOf }: Switches): Promise<Reason | undefined> {
  const { id } = plugin.manifest
  if (isolationOf(plugin, settings) === 'inproc') return undefined
  if (requiresSandbox(plugin, settings) && !hasSandbox()) return because('sandbox-missing', { plugin: id })
  const quarantine = await quarantineOf(id)
  return quarantine && because('quarantined', { plugin: id, faults: quarantine.faults, detail: quarantine.detail })
}

function findEngineReason({ engines, id }: Manifest, { versions }: Switches): Reason | undefined {
  if (!fitsRange(versions.node, engines.node)) {
    return because('engine-mismatch', { engine: 'Node', wants: engines.node, has: versions.node, plugin: id })
  }
  if (engines.agent === '*') return undefined
  const has = versions.agent()
  return fitsRange(has, engines.agent) ? undefined : because('engine-mismatch', { engine: 'agent', wants: engines.agent, has, plugin: id })
}

function findApiReason({ manifest, root }: Installed): Reason | undefined {
  const contract = contractKinds.find((kind) => specsOf(manifest, kind).length > 0 && !served.includes(manifest.api[kind] ?? 0))
  if (contract === undefined) return undefined
  const wants = manifest.api[contract]
  return because('api-mismatch', {
    contract,
    wants: wants === undefined ? 'no named' : String(wants),
    has: served.join(' and '),
    file: `${root}/${manifestName}`,
  })
}
