import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { CodeKind, ContractKind } from '@agent/plugin-sdk'
import { checkInstalled } from './check-installed.ts'
import { checkSettings } from './contribution-config.ts'
import type { Quarantine } from './extension-host/faults.ts'
import { findBwrap } from './extension-host/find-bwrap.ts'
import { type Isolation, isolationOf } from './extension-host/permission-set.ts'
import { findPlugins } from './find-plugins.ts'
import {
  contributionLists,
  type Installed,
  type ManifestRead,
  type Place,
  type PluginSource,
  readManifest,
  type Specs,
} from './manifest-file.ts'
import { type PluginLock, readPluginLock } from './plugin-lock.ts'
import { because, type Reason } from './reasons.ts'
import { resolveRelations, sortByDependency, type Verdict } from './resolve.ts'
import {
  findPlatformReason,
  findPluginReason,
  findReasonOf,
  findToolsetReason,
  type PlatformSettings,
  type PluginSettings,
  type SettingsProblem,
  type Switches,
} from './switches.ts'

export type { Installed, PluginSource } from './manifest-file.ts'
export type { PlatformSettings, PluginEntry, PluginSettings } from './switches.ts'

/** One part of a plugin that may run. */
export interface Contribution<Kind extends ContractKind = CodeKind> {
  readonly kind: Kind
  readonly id: string
  readonly plugin: Installed
  readonly spec: Specs[Kind]
  /** What config.yaml says for it, unchecked; `readContributionConfig` gives the checked value. */
  readonly settings: { readonly key: string; readonly value: unknown; readonly block?: unknown }
}

/** One part, whether it may have code or not. */
export type AnyContribution = Contribution<ContractKind>

/** The others are read and never loaded. */
export function hasCode(contribution: AnyContribution): contribution is Contribution {
  return contribution.kind !== 'skills'
}

/** One part of a plugin as lists show it; a kind that this host does not know is among them. */
export interface ListedContribution {
  readonly kind: string
  readonly id: string
  readonly state: 'ready' | 'blocked'
  readonly reason: Reason | undefined
}

/** A plugin as lists show it, broken ones included. */
export interface Listed {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly kinds: readonly string[]
  readonly source: PluginSource
  readonly root: string
  /** Where its code runs; absent when the manifest is broken. */
  readonly isolation: Isolation | undefined
  readonly state: 'ready' | 'blocked'
  readonly reason: Reason | undefined
  readonly contributions: readonly ListedContribution[]
  readonly warnings: readonly string[]
  /** Where the plugin comes from that a development link stands in for; undefined where it stands in for none. */
  readonly shadows: PluginSource | undefined
  /** Absent when the manifest is broken. */
  readonly installed: Installed | undefined
}

/** What is installed, read once from manifests; no plugin code is imported for it. */
export interface Catalog {
  readonly plugins: readonly Listed[]
  /** All that may run or be read. */
  contributions(): readonly AnyContribution[]
  platforms(): readonly Contribution<'platform'>[]
  providers(): readonly Contribution<'provider'>[]
  toolsets(): readonly Contribution<'toolset'>[]
  webBackends(): readonly Contribution<'web-backend'>[]
  skills(): readonly Contribution<'skills'>[]
  /** Ready ones only. */
  find<Kind extends ContractKind>(kind: Kind, id: string): Contribution<Kind> | undefined
  plugin(id: string): Listed | undefined
}

export interface CatalogOptions {
  /** Folder of the plugins that came with agent: `<kind>/<name>/agent.plugin.json`. */
  readonly bundled: string
  /** `<home>/plugins/local`. */
  readonly local: string
  /** `plugins.lock.json`; beside `local` unless told. */
  readonly lock?: string
  readonly settings: PluginSettings
  readonly platforms: Readonly<Record<string, PlatformSettings | undefined>>
  readonly hasEnvironment: (name: string) => boolean
  /** The blocks of config.yaml, for toolsets that read one. */
  readonly blocks?: Readonly<Record<string, unknown>>
  readonly safeMode?: boolean
  /** Names of slash commands that are agent's own. */
  readonly ownCommands?: readonly string[]
  /** What was found wrong while the settings were read; it blocks the plugin or platform that it names. */
  readonly problems?: readonly SettingsProblem[]
  /** Whether a sandbox program is here; looked for unless told. */
  readonly hasSandbox?: () => boolean
  /** Folders of the home's own skills by their names; asked for only where a plugin has some. */
  readonly homeSkills?: () => Promise<ReadonlyMap<string, string>>
  /** What is remembered about a plugin that ended its child too often. */
  readonly quarantineOf?: (plugin: string) => Promise<Quarantine | undefined>
  /** Taken from package.json and from the running Node unless told. */
  readonly versions?: { readonly agent?: string; readonly node?: string }
}

/** Reads every manifest once and decides what may run, and why the rest may not. */
export async function loadCatalog(options: CatalogOptions): Promise<Catalog> {
  const switches = toSwitches(options)
  const broken: Listed[] = []
  const verdicts: Verdict[] = []
  const lockFile = options.lock ?? join(options.local, '..', 'plugins.lock.json')
  const lock = readPluginLock(lockFile)
  broken.push(...listUnreadable(lock, lockFile))
  for (const place of findPlugins({ ...options, lockFile, lock })) {
    const read = await readPlace(place)
    if (read.ok) verdicts.push({ plugin: read.plugin, reason: await findPluginReason(read.plugin, switches), shadows: undefined })
    else broken.push(listBroken(read))
  }
  resolveRelations(verdicts)
  const sorted = sortByDependency(verdicts)
  const ready: AnyContribution[] = []
  const listed: Listed[] = []
  for (const verdict of sorted) listed.push(await listPlugin(verdict, switches, ready))
  return createCatalog([...listed, ...broken], ready)
}

/** What was installed is not read before it has been compared with the lock. */
async function readPlace(place: Place): Promise<ManifestRead> {
  const { folder, source, id, locked } = place
  const reason = id !== undefined && locked ? checkInstalled(folder, id, locked) : undefined
  return reason && id !== undefined ? { ok: false, id, root: folder, source, reason } : readManifest(place)
}

function listUnreadable({ damaged, broken }: PluginLock, file: string): readonly Listed[] {
  const row = (id: string, reason: Reason): Listed => listBroken({ id, root: file, source: 'installed', reason })
  if (damaged !== undefined) return [row(basename(file), because('lock-damaged', { file, problem: damaged }))]
  return [...broken].map(([id, { problem }]) => row(id, because('lock-mismatch', { problem, plugin: id })))
}

/** A catalog of what has been judged already. */
export function createCatalog(plugins: readonly Listed[], ready: readonly AnyContribution[]): Catalog {
  const byKey = new Map(ready.map((each) => [`${each.kind}:${each.id}`, each]))
  const byId = new Map<string, Listed>()
  for (const each of plugins) {
    const known = byId.get(each.id)
    if (known === undefined || (known.state === 'blocked' && each.state === 'ready') || each.shadows) byId.set(each.id, each)
  }
  const ofKind = <Kind extends ContractKind>(kind: Kind): readonly Contribution<Kind>[] =>
    ready.filter((each): each is Contribution<Kind> => each.kind === kind)
  return Object.freeze({
    plugins,
    contributions: () => ready,
    platforms: () => ofKind('platform'),
    providers: () => ofKind('provider'),
    toolsets: () => ofKind('toolset'),
    webBackends: () => ofKind('web-backend'),
    skills: () => ofKind('skills'),
    find: <Kind extends ContractKind>(kind: Kind, id: string) => byKey.get(`${kind}:${id}`) as Contribution<Kind> | undefined,
    plugin: (id: string) => byId.get(id),
  })
}

function toSwitches(options: CatalogOptions): Switches {
  return {
    settings: options.settings,
    platforms: options.platforms,
    hasEnvironment: options.hasEnvironment,
    blocks: options.blocks ?? {},
    safeMode: options.safeMode === true,
    ownCommands: options.ownCommands ?? [],
    problems: options.problems ?? [],
    hasSandbox: options.hasSandbox ?? (() => findBwrap() !== undefined),
    quarantineOf: options.quarantineOf ?? (async () => undefined),
    homeSkills: options.homeSkills ?? (async () => new Map()),
    environmentFile: join(options.local, '..', '..', '.env'),
    versions: {
      // Read only when a manifest asks for a certain version.
      agent: () => options.versions?.agent ?? readAgentVersion(options.bundled),
      node: options.versions?.node ?? process.versions.node,
    },
  }
}

function readAgentVersion(bundled: string): string {
  const manifest: unknown = JSON.parse(readFileSync(join(dirname(bundled), 'package.json'), 'utf8'))
  return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : '0.0.0'
}

function listBroken(read: { readonly id: string; readonly root: string; readonly source: PluginSource; readonly reason: Reason }): Listed {
  return {
    ...read,
    name: read.id,
    version: '',
    kinds: [],
    isolation: undefined,
    state: 'blocked',
    contributions: [],
    warnings: [],
    shadows: undefined,
    installed: undefined,
  }
}

/** The row of one plugin; what is ready of it is added to `ready`. */
async function listPlugin({ plugin, reason, shadows }: Verdict, switches: Switches, ready: AnyContribution[]): Promise<Listed> {
  const { manifest, root, source, warnings } = plugin
  const contributions: ListedContribution[] = []
  for (const contribution of readContributions(plugin, switches)) {
    const blocked =
      reason ??
      (await findContributionReason(contribution, switches)) ??
      findTakenCommand(contribution, switches, ready) ??
      (await findTakenSkill(contribution, switches, ready))
    if (blocked === undefined) ready.push(contribution)
    contributions.push({ kind: contribution.kind, id: contribution.id, state: blocked ? 'blocked' : 'ready', reason: blocked })
  }
  contributions.push(...listUnsupported(plugin))
  const stuck = contributions.length > 0 && contributions.every((each) => each.state === 'blocked') ? contributions[0]?.reason : undefined
  const why = reason ?? stuck
  return {
    id: manifest.id,
    name: manifest.name,
    version: manifest.version,
    kinds: [...new Set(contributions.map((each) => each.kind))],
    source,
    root,
    isolation: isolationOf(plugin, switches.settings.entries[manifest.id]),
    state: why ? 'blocked' : 'ready',
    reason: why,
    contributions,
    warnings,
    shadows,
    installed: plugin,
  }
}

function readContributions(plugin: Installed, switches: Switches): readonly AnyContribution[] {
  const { contributes, id } = plugin.manifest
  const own = { key: `plugins.entries.${id}.config`, value: switches.settings.entries[id]?.config }
  return [
    ...contributes.platforms.map((spec): Contribution<'platform'> => {
      const settings = { key: `platforms.${spec.id}.extra`, value: switches.platforms[spec.id]?.extra }
      return { kind: 'platform', id: spec.id, plugin, spec, settings }
    }),
    ...contributes.providers.map((spec): Contribution<'provider'> => ({ kind: 'provider', id: spec.id, plugin, spec, settings: own })),
    ...contributes.toolsets.map(
      (spec): Contribution<'toolset'> => ({
        kind: 'toolset',
        id: spec.id,
        plugin,
        spec,
        settings: { ...own, block: switches.blocks[spec.configBlock ?? ''] },
      }),
    ),
    ...contributes.webBackends.map(
      (spec): Contribution<'web-backend'> => ({ kind: 'web-backend', id: spec.id, plugin, spec, settings: own }),
    ),
    ...contributes.hooks.map((spec): Contribution<'hooks'> => ({ kind: 'hooks', id: spec.id, plugin, spec, settings: own })),
    ...contributes.commands.map((spec): Contribution<'commands'> => ({ kind: 'commands', id: spec.id, plugin, spec, settings: own })),
    ...contributes.skills.map((spec): Contribution<'skills'> => ({ kind: 'skills', id: spec.id, plugin, spec, settings: own })),
  ]
}

async function findContributionReason(contribution: AnyContribution, switches: Switches): Promise<Reason | undefined> {
  const { manifest } = contribution.plugin
  if (isKind(contribution, 'platform')) return findPlatformReason(manifest, contribution.spec, switches)
  if (isKind(contribution, 'toolset')) return findToolsetReason(manifest, contribution.spec, switches)
  if (isKind(contribution, 'provider')) return checkSettings(contribution.spec.configSchema, contribution.settings)
  if (isKind(contribution, 'web-backend') || isKind(contribution, 'hooks') || isKind(contribution, 'commands'))
    return findReasonOf(manifest, contribution.spec, switches)
  return undefined
}

/** The first that has a name of a command keeps it; a set is used as a whole or not at all. */
function findTakenCommand(contribution: AnyContribution, { ownCommands }: Switches, ready: readonly AnyContribution[]): Reason | undefined {
  for (const command of commandNames(contribution)) {
    if (ownCommands.includes(command)) return because('command-taken', { command, other: 'agent' })
    const owner = ready.find((each) => commandNames(each).includes(command))
    if (owner) return because('command-taken', { command, other: owner.plugin.manifest.id })
  }
  return undefined
}

function commandNames(contribution: AnyContribution): readonly string[] {
  return isKind(contribution, 'commands') ? contribution.spec.commands.flatMap(({ name, aliases }) => [name, ...aliases]) : []
}

/** A skill gives way to one of the same name: of the home, or of a plugin that comes before. */
async function findTakenSkill(
  contribution: AnyContribution,
  { homeSkills }: Switches,
  ready: readonly AnyContribution[],
): Promise<Reason | undefined> {
  if (!isKind(contribution, 'skills')) return undefined
  const folder = (await homeSkills()).get(contribution.id)
  if (folder !== undefined) return because('skill-taken', { by: folder, isPlugin: false })
  const other = ready.find((each) => isKind(each, 'skills') && each.id === contribution.id)
  return other && because('skill-taken', { by: other.plugin.manifest.id, isPlugin: true })
}

/** A newer plugin on an older host still gives its other parts. */
function listUnsupported({ manifest }: Installed): readonly ListedContribution[] {
  return Object.entries(manifest.contributes).flatMap(([list, value]) => {
    if (Object.hasOwn(contributionLists, list)) return []
    const reason = because('unsupported-kind', { kind: list })
    const ids = Array.isArray(value) ? value.map((each: unknown) => idOf(each)) : ['?']
    return ids.map((id): ListedContribution => ({ kind: list, id, state: 'blocked', reason }))
  })
}

function idOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : '?'
}

function isKind<Kind extends ContractKind>(contribution: AnyContribution, kind: Kind): contribution is Contribution<Kind> {
  return contribution.kind === kind
}
