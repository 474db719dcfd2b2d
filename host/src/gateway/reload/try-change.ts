import { isOverWithin } from '@agent/plugin-sdk'
import { fail, fromWireError, toWireError } from '@agent/plugin-sdk/errors'
import type { Change } from '#agent/reload/compare.ts'
import { type AnyContribution, type Contribution, hasCode, isKind } from '#kernel/catalog/catalog.ts'
import type { Link } from '../links/platform-link.ts'
import type { ReloadOptions } from './reload-options.ts'

/** A change that was tried beside what runs. */
export interface Tried {
  readonly change: Change
  /** A connection that works, to be swapped in. */
  readonly link?: Link
  /** Why the old one goes on. */
  readonly kept?: Error
}

/** Longest wait for what is under way. */
export const drainMs = 10_000

/** Prepares what can be prepared. What cannot work leaves nothing behind, and what ran until now has not noticed. */
export async function tryChange(options: ReloadOptions, change: Change): Promise<Tried> {
  const { before, after, needsRestart } = change
  if (needsRestart) return { change, kept: fail('PLUGIN_RESTART', { plugin: change.contribution.plugin.manifest.id }) }
  if (!before || !after) return { change }
  if (!isPlatform(after)) return hasCode(after) ? tryEntry(options, change, after) : { change }
  const old = options.links.get(after.id)
  // A platform that is not connected has nothing to lose.
  if (old?.status().state !== 'connected') return { change }
  return isExclusive(after) ? swapOver(options, change, old, after) : connectBeside(options, change, after)
}

/** The contributions that are connected again, and not only opened at their next use. */
export function isPlatform(contribution: AnyContribution): contribution is Contribution<'platform'> {
  return isKind(contribution, 'platform')
}

/** A service gives an account to one connection only, and a port belongs to one listener. */
function isExclusive({ spec, plugin }: Contribution<'platform'>): boolean {
  return spec.singletonLock !== undefined || plugin.manifest.permissions.host?.value.includes('http.listen') === true
}

async function tryEntry({ activator }: ReloadOptions, change: Change, after: Contribution): Promise<Tried> {
  if (after.spec.entry === undefined) return { change }
  try {
    await activator.entry(after)
    return { change }
  } catch (error) {
    await activator.retire(after)
    return { change, kept: fromWireError(toWireError(error)) }
  }
}

async function connectBeside(options: ReloadOptions, change: Change, after: Contribution<'platform'>): Promise<Tried> {
  const link = await options.open(after)
  await link.settled
  const kept = failureOf(link)
  if (!kept) return { change, link }
  await link.close()
  await options.activator.retire(after)
  return { change, kept }
}

async function swapOver(options: ReloadOptions, change: Change, old: Link, after: Contribution<'platform'>): Promise<Tried> {
  await drain(options, old)
  await old.pause()
  const tried = await connectBeside(options, change, after)
  if (tried.kept) old.resume()
  return tried
}

function failureOf(link: Link): Error | undefined {
  const { state, error } = link.status()
  if (state === 'connected' || state === 'paused') return undefined
  return error ? fromWireError(error) : fail('PLUGIN_INACTIVE', { plugin: link.contribution.plugin.manifest.id })
}

/** What is being sent gets its receipt before the connection is closed, if that does not take too long. */
export async function drain({ clock }: Pick<ReloadOptions, 'clock'>, link: Link): Promise<void> {
  await isOverWithin({ clock, ms: drainMs }, link.idle())
}
