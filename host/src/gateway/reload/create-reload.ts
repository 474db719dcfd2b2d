import { toWireError } from '@agent/plugin-sdk/errors'
import { type Change, keyOf } from '#agent/reload/compare.ts'
import { isKind } from '#kernel/catalog/catalog.ts'
import type { Link } from '../links/platform-link.ts'
import type { ReloadOptions } from './reload-options.ts'
import type { ReloadedPart, ReloadReport } from './reload-report.ts'
import { drain, drainMs, isPlatform, type Tried, tryChange } from './try-change.ts'

const lookEveryMs = 50

/**
 * Returns a function that takes settings and plugins again, one call after the other, the first one when every platform was tried. Whatever did not
 * change keeps its connection.
 */
export function createReload(options: ReloadOptions): () => Promise<ReloadReport> {
  let last: Promise<unknown> = options.opened
  return () => {
    const next = last.then(() => reload(options))
    last = next.catch(() => undefined)
    return next
  }
}

async function reload(options: ReloadOptions): Promise<ReloadReport> {
  const { generations, rules, log, signal } = options
  const candidate = await generations.prepare()
  const all = await Promise.all(candidate.changes.map((change) => tryChange(options, change)))
  const kept = new Map(all.flatMap(({ change, kept }) => (kept ? [[change.key, kept] as const] : [])))
  await Promise.all(all.map((tried) => finishRemoved(options, tried)))
  signal.throwIfAborted()
  const keptPlatforms = new Set(
    all.flatMap(({ change, kept }) => (kept && isPlatform(change.contribution) ? [change.contribution.id] : [])),
  )
  // Their rules are read before the settings change under them.
  for (const platform of keptPlatforms) rules.of(platform)
  generations.adopt(candidate, new Set(kept.keys()))
  rules.readAnew(keptPlatforms)
  const parts = await Promise.all([...all, ...listModelless(options, candidate.changes)].map((tried) => settle(options, tried)))
  if (candidate.changes.some(({ contribution }) => isKind(contribution, 'commands'))) options.onCommands()
  for (const { did, kind, id, error } of parts) log[error ? 'warn' : 'info'](`${kind}:${id} is ${did} by a reload`, { code: error?.code })
  await options.shown()
  const profiles = await options.guests?.renew()
  return { generation: generations.number(), parts, ...(profiles && { profiles }) }
}

/** Platforms that wanted a model, which there is now. */
function listModelless({ links, isOfflineByDefault }: ReloadOptions, changes: readonly Change[]): readonly Tried[] {
  if (isOfflineByDefault()) return []
  const changed = new Set(changes.map(({ key }) => key))
  return [...links.values()]
    .filter((link) => link.status().error?.code === 'OFFLINE_MODEL' && !changed.has(keyOf(link.contribution)))
    .map(({ contribution }) => ({
      change: { key: keyOf(contribution), contribution, type: 'changed', after: contribution, needsRestart: false },
    }))
}

/** Answers that are on their way leave before their platform does. */
async function finishRemoved({ links, journal, clock, signal }: ReloadOptions, { change }: Tried): Promise<void> {
  const { contribution, type } = change
  if (type !== 'removed' || !isPlatform(contribution)) return
  const until = clock.now() + drainMs
  while (links.get(contribution.id)?.status().state === 'connected' && clock.now() < until && !signal.aborted) {
    const waiting = (await journal.pending()).find(({ platform }) => platform === contribution.id)
    if (!waiting || waiting.inbox + waiting.outbox === 0) return
    await clock.sleep(lookEveryMs, signal).catch(() => undefined)
  }
}

async function settle(options: ReloadOptions, tried: Tried): Promise<ReloadedPart> {
  const { change, kept } = tried
  const { kind, id, plugin } = change.contribution
  const about = { kind, id, plugin: plugin.manifest.id }
  const link = isPlatform(change.contribution) ? await settlePlatform(options, tried, change.contribution.id) : undefined
  const { state, error } = link?.status() ?? {}
  const problem = kept ? toWireError(kept) : error
  const did = kept ? 'kept' : ({ added: 'opened', removed: 'closed', changed: 'replaced' } as const)[change.type]
  return { ...about, did, ...(state ? { state } : {}), ...(problem ? { error: problem } : {}) }
}

/** Puts the new connection in the place of the old one, which then ends. */
async function settlePlatform(options: ReloadOptions, { change, link, kept }: Tried, id: string): Promise<Link | undefined> {
  const { links, outbox, announce, activator } = options
  const old = links.get(id)
  if (kept) return old
  const { before, after } = change
  // Without a connection to lose, the old one makes room first: it may still hold the account.
  if (!link) await old?.close()
  const next = link ?? (after && isPlatform(after) ? await options.open(after) : undefined)
  if (next) links.set(id, next)
  else links.delete(id)
  outbox.follow(id, next?.contribution.spec.door === 'messaging')
  if (next) announce(next)
  if (old && link) {
    await drain(options, old)
    await old.close()
  }
  if (old && !next) announce(old)
  if (before && isPlatform(before)) await activator.retire(before)
  await next?.settled
  return next
}
