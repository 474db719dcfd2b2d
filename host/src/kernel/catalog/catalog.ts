import { readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { CodeKind, ContractKind, Specs } from '@agent/plugin-sdk'
import type { Objection } from '../curated/judge.ts'
import { checkInstalled } from '../installed/check-installed.ts'
import { findPlugins } from '../installed/find-plugins.ts'
import {
  type Installed,
  type ManifestPlace,
  type ManifestRead,
  type ParseManifest,
  type PluginSource,
  readManifest,
} from '../installed/manifest-file.ts'
import { type LockedVersion, type PluginLock, readPluginLock } from '../installed/plugin-lock.ts'
import type { Quarantine } from '../isolation/faults.ts'
import { type Isolation, isolationOf } from '../isolation/permission-set.ts'
import { contractKinds, kinds, specsOf } from '../kinds.ts'
import { because, type Reason } from '../reasons.ts'
import { findBwrap } from '../sandbox/find-bwrap.ts'
import { type HostRow, hostRow } from './kind-rows.ts'
import { type Resolution, resolveRelations, sortByDependency } from './resolve.ts'
import { findPluginReason, type PlatformSwitch, type PluginSettings, type SettingsProblem, type Switches } from './switches.ts'

export type { Installed, PluginSource } from '../installed/manifest-file.ts'
export type { PlatformSwitch, PluginSettings } from './switches.ts'

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
  return kinds[contribution.kind].code !== 'none'
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
  /** Those of one kind. */
  of<Kind extends ContractKind>(kind: Kind): readonly Contribution<Kind>[]
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
  readonly platforms: Readonly<Record<string, PlatformSwitch | undefined>>
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
  /** What somebody whose word counts has against an installed version. */
  readonly objectionTo?: ((version: LockedVersion) => Objection | undefined) | undefined
  /** What is remembered about a plugin that ended its child too often. */
  readonly quarantineOf?: (plugin: string) => Promise<Quarantine | undefined>
  /** How the files of manifests are read; read again each time unless told. */
  readonly parseManifest?: ParseManifest | undefined
  /** Taken from package.json and from the running Node unless told. */
  readonly versions?: { readonly agent?: string; readonly node?: string }
}

/** What was found of one kind, as lists show it, blocked ones included. */
export function listedOf<Plugin extends Pick<Listed, 'contributions'>>(
  { plugins }: { readonly plugins: readonly Plugin[] },
  kind: ContractKind,
): readonly (ListedContribution & { readonly plugin: Plugin })[] {
  return plugins.flatMap((plugin) => plugin.contributions.flatMap((each) => (each.kind === kind ? [{ ...each, plugin }] : [])))
}

/** Reads every manifest once and decides what may run, and why the rest may not. */
export async function loadCatalog(options: CatalogOptions): Promise<Catalog> {
  const switches = toSwitches(options)
  const broken: Listed[] = []
  const verdicts: Resolution[] = []
  const lockFile = options.lock ?? join(options.local, '..', 'plugins.lock.json')
  const lock = readPluginLock(lockFile)
  broken.push(...listUnreadable(lock, lockFile))
  for (const place of findPlugins({ ...options, lockFile, lock })) {
    const read = await readPlace(place, options.parseManifest)
    if (read.ok) {
      const reason = findObjectionReason(place, options) ?? (await findPluginReason(read.plugin, switches))
      verdicts.push({ plugin: read.plugin, reason, shadows: undefined })
    } else broken.push(listBroken(read))
  }
  resolveRelations(verdicts)
  const sorted = sortByDependency(verdicts)
  const ready: AnyContribution[] = []
  const listed: Listed[] = []
  for (const verdict of sorted) listed.push(await listPlugin(verdict, switches, ready))
  return createCatalog([...listed, ...broken], ready)
}

/** Before every switch: nobody switches on what has been blocked. */
function findObjectionReason({ entry }: ManifestPlace, { objectionTo }: CatalogOptions): Reason | undefined {
  const objection = entry && objectionTo?.(entry.locked)
  return objection && because(objection.type, { ...objection, plugin: entry.id, version: entry.locked.version })
}

/** What was installed is not read before it has been compared with the lock. */
async function readPlace(place: ManifestPlace, parse?: ParseManifest): Promise<ManifestRead> {
  const { folder, source, entry } = place
  const reason = entry && checkInstalled(folder, entry.id, entry.locked)
  return reason ? { ok: false, id: entry.id, root: folder, source, reason } : readManifest(place, parse)
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
  return Object.freeze({
    plugins,
    contributions: () => ready,
    of: <Kind extends ContractKind>(kind: Kind) => ready.filter((each): each is Contribution<Kind> => isKind(each, kind)),
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
  const manifest = JSON.parse(readFileSync(join(dirname(bundled), 'package.json'), 'utf8')) as { readonly version?: unknown }
  return String(manifest.version ?? '0.0.0')
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
async function listPlugin({ plugin, reason, shadows }: Resolution, switches: Switches, ready: AnyContribution[]): Promise<Listed> {
  const { manifest, root, source, warnings } = plugin
  const contributions: ListedContribution[] = []
  for (const contribution of readContributions(plugin, switches)) {
    const blocked = reason ?? (await findContributionReason(contribution, switches, ready))
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
    isolation: isolationOf(plugin, switches.settings),
    state: why ? 'blocked' : 'ready',
    reason: why,
    contributions,
    warnings,
    shadows,
    installed: plugin,
  }
}

function readContributions(plugin: Installed, switches: Switches): readonly AnyContribution[] {
  return contractKinds.flatMap((kind) =>
    specsOf(plugin.manifest, kind).map((spec): AnyContribution => {
      const settings = hostRow(kind).settings(spec as never, plugin.manifest.id, switches)
      return { kind, id: spec.id, plugin, spec, settings: { ...settings, ...blockOf(spec, switches.blocks) } }
    }),
  )
}

/** What config.yaml says of it beside its settings. */
function blockOf(spec: AnyContribution['spec'], blocks: Switches['blocks']): { readonly block?: unknown } {
  const named = 'dynamicTools' in spec ? spec.dynamicTools?.block : undefined
  if (named !== undefined) return { block: { [named]: blocks[named] } }
  return 'configBlock' in spec ? { block: blocks[spec.configBlock ?? ''] } : {}
}

async function findContributionReason(
  contribution: AnyContribution,
  switches: Switches,
  ready: readonly AnyContribution[],
): Promise<Reason | undefined> {
  const { kind, spec } = contribution
  // What belongs to a kind is given to the row of that kind.
  const row: HostRow<never> = hostRow(kind as never)
  const reason = await row.reason(contribution as never, switches)
  if (reason !== undefined || row.taken === undefined) return reason
  return row.taken(spec as never, switches, ready.filter((each) => each.kind === kind) as never)
}

/** A newer plugin on an older host still gives its other parts. */
function listUnsupported({ manifest }: Installed): readonly ListedContribution[] {
  return Object.entries(manifest.contributes).flatMap(([list, value]) => {
    if (contractKinds.some((kind) => kinds[kind].list === list)) return []
    const reason = because('unsupported-kind', { kind: list })
    const ids = Array.isArray(value) ? value.map((each: unknown) => idOf(each)) : ['?']
    return ids.map((id): ListedContribution => ({ kind: list, id, state: 'blocked', reason }))
  })
}

function idOf(value: unknown): string {
  return typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : '?'
}

/** Narrows a contribution for the code that belongs to its kind. */
export function isKind<Kind extends ContractKind>(contribution: AnyContribution, kind: Kind): contribution is Contribution<Kind> {
  return contribution.kind === kind
}
