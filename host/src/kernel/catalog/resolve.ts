import type { ContractKind } from '@agent/plugin-sdk'
import type { Installed, PluginSource } from '../installed/manifest-file.ts'
import { contractKinds, specsOf } from '../kinds.ts'
import { because, type Reason } from '../reasons.ts'
import { hostRow } from './kind-rows.ts'

/** Installed plugins with what blocks each; filled in by the steps below. */
export interface Resolution {
  readonly plugin: Installed
  reason: Reason | undefined
  /** Where the plugin comes from that this development link stands in for. */
  shadows: PluginSource | undefined
}

/** Decides between plugins: one owner for each id, nothing beside its conflicts, nothing without what it requires. */
export function resolveRelations(verdicts: readonly Resolution[]): void {
  settleIds(verdicts)
  settleOwners(verdicts.filter(isOn))
  settleConflicts(verdicts.filter(isOn))
  settleCycles(verdicts.filter(isOn))
  settleRequirements(verdicts)
}

const isOn = (verdict: Resolution): boolean => verdict.reason === undefined
const isBundled = ({ plugin }: Resolution): boolean => plugin.source === 'bundled'

/** What a plugin requires or wants to come after stands before it; otherwise the order is kept. */
export function sortByDependency<T extends Resolution>(verdicts: readonly T[]): readonly T[] {
  if (verdicts.every(({ plugin }) => plugin.manifest.requires.length + plugin.manifest.after.length === 0)) return verdicts
  const byId = new Map(verdicts.map((each) => [each.plugin.manifest.id, each]))
  const sorted = new Set<T>()
  const visiting = new Set<T>()
  const visit = (each: T | undefined): void => {
    if (each === undefined || sorted.has(each) || visiting.has(each)) return
    visiting.add(each)
    const { requires, after } = each.plugin.manifest
    for (const id of [...requires, ...after]) visit(byId.get(id))
    sorted.add(each)
  }
  for (const each of verdicts) visit(each)
  return [...sorted]
}

/** One plugin for each id: a development link before what came with agent, and that before what was dropped in by hand. */
function settleIds(verdicts: readonly Resolution[]): void {
  const rank = { link: 0, bundled: 1, installed: 2, local: 3 }
  for (const group of groupBy(verdicts, (each) => [each.plugin.manifest.id]).values()) {
    const [first, ...rest] = group.toSorted((left, right) => rank[left.plugin.source] - rank[right.plugin.source])
    if (first === undefined) continue
    for (const each of rest) settlePair(first, each)
  }
}

function settlePair(first: Resolution, second: Resolution): void {
  const { manifest, root } = second.plugin
  if (first.plugin.source === 'link' && second.plugin.source !== 'local') shadow(first, second)
  else second.reason = because('duplicate-id', { plugin: manifest.id, other: first.plugin.root, root })
}

/** A link that is off stands in for nothing. */
function shadow(link: Resolution, other: Resolution): void {
  if (!isOn(link)) return
  link.shadows = other.plugin.source
  other.reason = because('shadowed', { by: link.plugin.manifest.id })
}

/** What came with agent keeps what is its own; other owners of one contribution block each other: never the order of a folder decides. */
function settleOwners(verdicts: readonly Resolution[]): void {
  const exclusive = contractKinds.filter((kind) => hostRow(kind).sameId === 'none')
  for (const [what, owners] of groupBy(verdicts, (each) => contributionKeys(each, exclusive))) {
    if (owners.length < 2) continue
    const links = owners.filter((each) => each.plugin.source === 'link')
    const others = owners.filter((each) => each.plugin.source !== 'link')
    const [link] = links
    if (link && links.length === 1 && others.every(isBundled)) {
      for (const each of others) shadow(link, each)
      continue
    }
    const [own, second] = owners.filter(isBundled)
    const kept = second ? undefined : own
    owners.forEach((each, index) => {
      const other = kept ?? owners[index === 0 ? 1 : 0]
      if (other && each !== kept) each.reason = because('duplicate-owner', { what, other: other.plugin.manifest.id })
    })
  }
}

function contributionKeys({ plugin }: Resolution, kinds: readonly ContractKind[]): readonly string[] {
  return kinds.flatMap((kind) => specsOf(plugin.manifest, kind).map(({ id }) => `${kind}:${id}`))
}

function settleConflicts(verdicts: readonly Resolution[]): void {
  const byId = new Map(verdicts.map((each) => [each.plugin.manifest.id, each]))
  for (const each of verdicts) {
    for (const id of each.plugin.manifest.conflicts) {
      const other = byId.get(id)
      if (other === undefined || other === each) continue
      // Nobody's manifest switches off what came with agent.
      if (!isBundled(each) || isBundled(other)) each.reason ??= because('conflict', { other: id })
      if (!isBundled(other) || isBundled(each)) other.reason ??= because('conflict', { other: each.plugin.manifest.id })
    }
  }
}

function settleCycles(verdicts: readonly Resolution[]): void {
  const byId = new Map(verdicts.map((each) => [each.plugin.manifest.id, each]))
  for (const each of verdicts) {
    const cycle = findCycle(each.plugin.manifest.id, byId)
    if (cycle) each.reason = because('dependency-cycle', { cycle: cycle.join(' → '), plugin: each.plugin.manifest.id })
  }
}

/** The way along `requires` that leads from a plugin back to itself. */
function findCycle(start: string, byId: ReadonlyMap<string, Resolution>): readonly string[] | undefined {
  const seen = new Set<string>()
  const walk = (id: string, path: readonly string[]): readonly string[] | undefined => {
    for (const next of byId.get(id)?.plugin.manifest.requires ?? []) {
      if (next === start) return [...path, next]
      if (seen.has(next)) continue
      seen.add(next)
      const found = walk(next, [...path, next])
      if (found) return found
    }
    return undefined
  }
  return walk(start, [start])
}

function settleRequirements(verdicts: readonly Resolution[]): void {
  // A blocked plugin may block the next one: repeat until nothing changes.
  for (let changed = true; changed; ) {
    changed = false
    const running = new Set(verdicts.filter(isOn).map((each) => each.plugin.manifest.id))
    const installed = new Set(verdicts.map((each) => each.plugin.manifest.id))
    for (const each of verdicts) {
      const needs = isOn(each) ? each.plugin.manifest.requires.find((id) => !running.has(id)) : undefined
      if (needs === undefined) continue
      each.reason = because('dependency-missing', { needs, why: installed.has(needs) ? 'is off' : 'is not installed' })
      changed = true
    }
  }
}

function groupBy<T>(items: readonly T[], keys: (item: T) => readonly string[]): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) {
    for (const key of keys(item)) groups.set(key, [...(groups.get(key) ?? []), item])
  }
  return groups
}
