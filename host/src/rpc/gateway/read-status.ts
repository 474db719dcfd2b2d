import { existsSync } from 'node:fs'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import { askGateway } from '#gateway/control/ask-gateway.ts'
import type { GatewayStatus } from '#gateway/instance/gateway-status.ts'
import { findInstance, type InstanceRecord, readGatewayState } from '#gateway/instance/instance.ts'
import { countQueues, type QueueCounts } from '#gateway/instance/queue-counts.ts'
import type { LinkStatus } from '#gateway/links/link-status.ts'
import { findWish } from '#gateway/links/paused-platforms.ts'
import type { ServedProfile } from '#gateway/reload/reload-report.ts'
import { systemClock } from '#kernel/clock.ts'
import { createSandbox, type Sandbox } from '#kernel/sandbox/sandbox.ts'
import { describeSandbox } from '#kernel/sandbox/sandbox-level.ts'
import type { Failure, UnknownSend } from '#store/journal.ts'
import { type OpenedCatalog, openCatalog } from '../home/open-catalog.ts'
import { withStore } from '../home/open-home-store.ts'
import type { HomeContext } from '../home-context.ts'
import { findMend, type PlatformMend } from './mend-platform.ts'
import { listStale, type RunningVariables } from './stale-variables.ts'

/** A platform that would run, with what mends it where settings are refused; without a gateway it is `stopped`, or `paused` where somebody wished that. */
export type PlatformStatus =
  | (LinkStatus & { readonly mend?: PlatformMend })
  | { readonly platform: string; readonly state: 'stopped' | 'paused'; readonly needsAttention: false }

export interface FoundGatewayStatus {
  readonly home: Home
  readonly instance: InstanceRecord | undefined
  readonly platforms: readonly PlatformStatus[]
  readonly queues: readonly QueueCounts[]
  readonly unknown: readonly UnknownSend[]
  /** What has failed in the last day, newest first; a few of it. */
  readonly failures: readonly Failure[]
  /** Names whose value in `.env` is another one than the gateway runs with. */
  readonly stale: readonly string[]
  /** When a gateway that does not answer wrote down how its platforms are; undefined where that is known of now. */
  readonly writtenAt: number | undefined
  /** The other profiles, where this gateway serves them. */
  readonly profiles: readonly ServedProfile[]
  /** What holds commands here. */
  readonly sandbox: string
}

const mostFailures = 5
const recentMs = 24 * 3_600_000

/** Whether no waiting mends it, or it has failed for hours. */
export function needsSomebody({ state, needsAttention }: PlatformStatus): boolean {
  return needsAttention || state === 'fatal'
}

/** How the gateway of a home is. Nothing is made for a look. */
export async function readStatus(
  context: HomeContext,
  machine: Pick<Sandbox, 'level'> = createSandbox({ clock: systemClock }),
): Promise<FoundGatewayStatus> {
  const opened = await openCatalog(context)
  const { home } = opened
  const instance = findInstance(home)
  const running = instance ? await askAbout(context, opened) : undefined
  const sandbox = describeSandbox(await machine.level(), opened.loaded.config.terminal.sandbox)
  const stale = running?.said ? listStale(opened.loaded.environment, running.said) : []
  const found = { home, instance, sandbox, stale, writtenAt: running?.writtenAt, profiles: running?.profiles ?? [] }
  if (!existsSync(home.files.state))
    return { ...found, platforms: running?.platforms ?? listIdle(opened, new Set()), queues: [], unknown: [], failures: [] }
  return withStore(context, async ({ journal, kv }) => {
    const platforms = running?.platforms ?? (await listStopped(opened, kv))
    const failures = (await journal.failures(mostFailures)).filter(({ at }) => systemClock.now() - at < recentMs)
    return { ...found, platforms, queues: await countQueues(journal), unknown: await journal.unknownSends(), failures }
  })
}

/** How its platforms are, and nothing else. */
export async function readPlatforms(context: HomeContext, opened: OpenedCatalog): Promise<readonly PlatformStatus[]> {
  const { home } = opened
  if (findInstance(home)) return (await askAbout(context, opened)).platforms
  if (!existsSync(home.files.state)) return listIdle(opened, new Set())
  return withStore(context, ({ kv }) => listStopped(opened, kv))
}

async function listStopped(opened: OpenedCatalog, kv: Parameters<typeof findWish>[0]): Promise<readonly PlatformStatus[]> {
  return listIdle(opened, await findPaused(opened, (platform) => findWish(kv, platform)))
}

/** As the gateway says now; where it does not answer, as it wrote down last. */
async function askAbout({ signal }: HomeContext, opened: OpenedCatalog): Promise<Running> {
  const { home } = opened
  const mended = (platforms: readonly LinkStatus[]): Running['platforms'] =>
    platforms.map((status) => {
      const mend = findMend(opened, status.platform, status.error)
      return mend ? { ...status, mend } : status
    })
  try {
    const said = (await askGateway(home, 'status', null, { signal, timeoutMs: 2_000 })) as GatewayStatus & RunningVariables
    return { platforms: mended(said.platforms), profiles: said.profiles ?? [], said, writtenAt: undefined }
  } catch (error) {
    signal.throwIfAborted()
    if (!isAgentError(error)) throw error
    const state = readGatewayState(home)
    return { platforms: mended(state?.platforms ?? []), profiles: [], said: undefined, writtenAt: state?.updated_at }
  }
}

interface Running {
  readonly platforms: readonly PlatformStatus[]
  readonly profiles: readonly ServedProfile[]
  readonly said: RunningVariables | undefined
  readonly writtenAt: number | undefined
}

async function findPaused({ catalog }: OpenedCatalog, wishOf: (platform: string) => ReturnType<typeof findWish>): Promise<Set<string>> {
  const paused = new Set<string>()
  for (const { id } of catalog.of('platform')) if ((await wishOf(id)) === 'paused') paused.add(id)
  return paused
}

function listIdle({ catalog }: OpenedCatalog, paused: ReadonlySet<string>): readonly PlatformStatus[] {
  return catalog.of('platform').map(({ id }) => ({ platform: id, state: paused.has(id) ? 'paused' : 'stopped', needsAttention: false }))
}
