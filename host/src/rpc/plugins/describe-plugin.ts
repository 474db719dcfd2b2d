import type { Listed } from '#kernel/catalog/catalog.ts'
import type { Isolation } from '#kernel/isolation/permission-set.ts'
import type { Reason, ReasonCode } from '#kernel/reasons.ts'

/** A plugin as `--json` prints it; every command of `agent plugins` prints `{ plugins: [...] }` of these. */
export interface PluginRow {
  readonly id: string
  readonly name: string
  readonly version: string
  readonly kinds: readonly string[]
  readonly source: string
  /** `inproc`, `process` or `bwrap`; null when the manifest is broken. */
  readonly isolation: string | null
  readonly state: string
  /** A code of the closed list, or null. */
  readonly reason: ReasonCode | null
  readonly detail: string | null
  readonly fix: string | null
  readonly shadows: boolean
  readonly root: string
  readonly warnings: readonly string[]
  readonly contributions: readonly {
    readonly kind: string
    readonly id: string
    readonly state: string
    readonly reason: ReasonCode | null
    readonly detail: string | null
    readonly fix: string | null
  }[]
}

export function describePlugin(plugin: Listed): PluginRow {
  const { id, name, version, kinds, source, isolation = null, state, shadows, root, warnings } = plugin
  return {
    ...{
      id,
      name,
      version,
      kinds,
      source,
      isolation,
      state,
      ...describeReason(plugin.reason),
      shadows: shadows !== undefined,
      root,
      warnings,
    },
    contributions: plugin.contributions.map((each) => ({
      kind: each.kind,
      id: each.id,
      state: each.state,
      ...describeReason(each.reason),
    })),
  }
}

const places: Readonly<Record<Isolation, string>> = {
  inproc: 'in the process of agent',
  process: 'in a separate process',
  bwrap: 'in a separate process, in a sandbox where this machine has one',
}

/** Where the code of a plugin runs, in words. */
export function describePlace({ isolation, installed }: Pick<Listed, 'isolation' | 'installed'>): string {
  if (isolation === undefined) return 'nowhere'
  return installed && !hasCode(installed) ? 'nowhere: it is data that agent reads' : places[isolation]
}

/** Some plugins are a manifest, or texts, and nothing that runs. */
export function hasCode({ manifest }: NonNullable<Listed['installed']>): boolean {
  return Object.values(manifest.contributes).some((list) => Array.isArray(list) && list.some((each) => 'entry' in Object(each)))
}

function describeReason(reason: Reason | undefined): Pick<PluginRow, 'reason' | 'detail' | 'fix'> {
  return { reason: reason?.code ?? null, detail: reason?.text ?? null, fix: reason?.fix ?? null }
}

/** Why something does not run, and what a person does about it, in one line. */
export function describeBlocked(id: string, { code, text, fix }: Reason): string {
  return `${id}: blocked (${code}): ${text}. To change that: ${fix}`
}

const chosen: ReadonlySet<ReasonCode> = new Set<ReasonCode>([
  'disabled',
  'denied',
  'not-enabled',
  'safe-mode',
  'env-missing',
  'shadowed',
  'skill-taken',
])

/** True when something is wrong; false when a plugin is off because nobody wanted it, or not all of it is set up. */
export function isFault(reason: Reason | undefined): boolean {
  return reason !== undefined && !chosen.has(reason.code)
}
