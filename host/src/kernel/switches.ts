import type {
  CommandsManifest,
  ContractKind,
  HooksManifest,
  Manifest,
  PlatformManifest,
  ToolsetManifest,
  WebBackendManifest,
} from '@agent/plugin-sdk'
import { checkSettings } from './contribution-config.ts'
import type { Quarantine } from './extension-host/faults.ts'
import { isolationOf } from './extension-host/permission-set.ts'
import { type Installed, manifestName } from './manifest-file.ts'
import { because, type Reason } from './reasons.ts'
import { fitsRange } from './version-range.ts'

export interface PluginEntry {
  readonly enabled?: boolean | undefined
  readonly isolation?: 'inproc' | 'process' | undefined
  /** Puts the child of the plugin into a sandbox of the system. */
  readonly sandbox?: 'bwrap' | undefined
  /** Most memory of the plugin's child, in MiB. */
  readonly memory_mb?: number | undefined
  readonly config?: unknown
}

export interface PluginSettings {
  readonly entries: Readonly<Record<string, PluginEntry | undefined>>
  readonly deny: readonly string[]
}

export interface PlatformSettings {
  readonly enabled?: boolean | undefined
  readonly extra?: unknown
}

/** What people have decided, and what the machine offers. */
export interface Switches {
  readonly settings: PluginSettings
  readonly platforms: Readonly<Record<string, PlatformSettings | undefined>>
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

/** Versions of each contract that this host serves. */
const served: Readonly<Record<ContractKind, readonly number[]>> = {
  platform: [1],
  provider: [1],
  toolset: [1],
  'web-backend': [1],
  hooks: [1],
  commands: [1],
  skills: [1],
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
export async function findPlatformReason(manifest: Manifest, platform: PlatformManifest, switches: Switches): Promise<Reason | undefined> {
  const own = switches.platforms[platform.id]
  const problem = findProblem(switches, (one) => one.platform === platform.id)
  if (problem) return problem
  if (own?.enabled === false) return because('disabled', { key: `platforms.${platform.id}.enabled`, plugin: manifest.id })
  const required = requiredNames(manifest, platform.env)
  const missing = required.filter((name) => !switches.hasEnvironment(name))
  if (missing.length > 0) return because('env-missing', { names: missing.join(', '), file: switches.environmentFile })
  const wished = own?.enabled === true || switches.settings.entries[manifest.id]?.enabled === true
  if (!wished && !platform.onByDefault && required.length === 0) return because('not-enabled', { plugin: manifest.id })
  return checkSettings(platform.configSchema, { key: `platforms.${platform.id}.extra`, value: own?.extra })
}

/** Why a toolset is not on offer although its plugin runs. */
export async function findToolsetReason(manifest: Manifest, toolset: ToolsetManifest, switches: Switches): Promise<Reason | undefined> {
  const entry = switches.settings.entries[manifest.id]
  if (!toolset.onByDefault && entry?.enabled !== true) return because('not-enabled', { plugin: manifest.id })
  const missing = requiredNames(manifest, toolset.env).filter((name) => !switches.hasEnvironment(name))
  if (missing.length > 0) return because('env-missing', { names: missing.join(', '), file: switches.environmentFile })
  return checkSettings(toolset.configSchema, { key: `plugins.entries.${manifest.id}.config`, value: entry?.config })
}

/** Why a web backend or a set of hooks or commands is not used although its plugin runs. */
export async function findReasonOf(
  manifest: Manifest,
  { env, configSchema }: Pick<WebBackendManifest | HooksManifest | CommandsManifest, 'env' | 'configSchema'>,
  switches: Switches,
): Promise<Reason | undefined> {
  const missing = requiredNames(manifest, env).filter((name) => !switches.hasEnvironment(name))
  if (missing.length > 0) return because('env-missing', { names: missing.join(', '), file: switches.environmentFile })
  const value = switches.settings.entries[manifest.id]?.config
  return checkSettings(configSchema, { key: `plugins.entries.${manifest.id}.config`, value })
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
  const isolation = isolationOf(plugin, settings.entries[id])
  if (isolation === 'inproc') return undefined
  if (isolation === 'bwrap' && !hasSandbox()) return because('sandbox-missing', { plugin: id })
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
  const { contributes } = manifest
  const used: Readonly<Record<ContractKind, readonly unknown[]>> = {
    platform: contributes.platforms,
    provider: contributes.providers,
    toolset: contributes.toolsets,
    'web-backend': contributes.webBackends,
    hooks: contributes.hooks,
    commands: contributes.commands,
    skills: contributes.skills,
  }
  const contract = (Object.keys(served) as ContractKind[]).find(
    (kind) => used[kind].length > 0 && !served[kind].includes(manifest.api[kind] ?? 0),
  )
  if (contract === undefined) return undefined
  const wants = manifest.api[contract]
  return because('api-mismatch', {
    contract,
    wants: wants === undefined ? 'no named' : String(wants),
    has: served[contract].join(' and '),
    file: `${root}/${manifestName}`,
  })
}
