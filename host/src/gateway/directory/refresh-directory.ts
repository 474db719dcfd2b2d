import type { Clock, CompleteConnection, Log, PlatformManifest } from '@agent/plugin-sdk'
import { callWithin } from '#kernel/calls/call.ts'
import type { ChannelDirectory } from './channel-directory.ts'

export interface RefreshOptions {
  readonly directory: Pick<ChannelDirectory, 'fill' | 'list'>
  readonly clock: Clock
  readonly log: Log
  /** Ends it. */
  readonly signal: AbortSignal
}

/** A platform as it is connected now. */
export interface ListedPlatform {
  readonly spec: PlatformManifest
  readonly connection: CompleteConnection | undefined
}

const listDeadline = 60_000
const everyMs = 6 * 3_600_000

/** Asks a platform that can tell where the bot may speak. What fails is asked again another time. */
export async function refreshDirectory(options: RefreshOptions, { spec, connection }: ListedPlatform): Promise<void> {
  const { directory, clock, log, signal } = options
  if (!connection || !spec.capabilities.listConversations) return
  try {
    const [latest] = await directory.list(spec.id)
    const bounds = { clock, signal, deadline: listDeadline, what: 'Listing conversations' }
    const account = latest?.account ?? (await callWithin(bounds, (call) => connection.identity(call))).id
    await directory.fill(spec.id, account, await callWithin(bounds, (call) => connection.listConversations(call)))
  } catch (error) {
    if (!signal.aborted) log.warn('a platform did not list its conversations', { platform: spec.id, error: String(error) })
  }
}

/** Asks every connected platform every few hours, until the signal fires. */
export async function keepRefreshing(options: RefreshOptions, platforms: () => readonly ListedPlatform[]): Promise<void> {
  for (;;) {
    await options.clock.sleep(everyMs, options.signal).catch(() => undefined)
    if (options.signal.aborted) return
    for (const platform of platforms()) await refreshDirectory(options, platform)
  }
}
