import { existsSync } from 'node:fs'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import { askGateway } from '#gateway/control/ask-gateway.ts'
import type { GatewayStatus } from '#gateway/instance/gateway-status.ts'
import { findInstance, type InstanceRecord, readGatewayState } from '#gateway/instance/instance.ts'
import { countQueues, type QueueCounts } from '#gateway/instance/queue-counts.ts'
import type { LinkStatus } from '#gateway/links/link-status.ts'
import { findWish } from '#gateway/links/paused-platforms.ts'
import { systemClock } from '#kernel/clock.ts'
import { createSandbox } from '#kernel/sandbox/sandbox.ts'
import { describeSandbox } from '#kernel/sandbox/sandbox-level.ts'
import type { UnknownSend } from '#store/journal.ts'
import type { Cli } from '../console/cli.ts'
import { type OpenedCatalog, openCatalog } from '../home/open-catalog.ts'
import { withStore } from '../home/open-home-store.ts'

/** A platform that would run; without a gateway it is `stopped`, or `paused` where somebody wished that. */
export type PlatformStatus =
  | LinkStatus
  | { readonly platform: string; readonly state: 'stopped' | 'paused'; readonly needsAttention: false }

export interface FoundGatewayStatus {
  readonly home: Home
  readonly instance: InstanceRecord | undefined
  readonly platforms: readonly PlatformStatus[]
  readonly queues: readonly QueueCounts[]
  readonly unknown: readonly UnknownSend[]
  /** What holds commands here. */
  readonly sandbox: string
}

/** Whether no waiting mends it, or it has failed for hours. */
export function needsSomebody({ state, needsAttention }: PlatformStatus): boolean {
  return needsAttention || state === 'fatal'
}

/** How the gateway of a home is. Nothing is made for a look. */
export async function readStatus(cli: Cli): Promise<FoundGatewayStatus> {
  const opened = await openCatalog(cli)
  const { home } = opened
  const instance = findInstance(home)
  const running = instance ? await readLinks(cli, home) : undefined
  const sandbox = describeSandbox(await createSandbox({ clock: systemClock }).level(), opened.loaded.config.terminal.sandbox)
  const found = { home, instance, sandbox }
  if (!existsSync(home.files.state)) return { ...found, platforms: running ?? listIdle(opened, new Set()), queues: [], unknown: [] }
  return withStore(cli, async ({ journal, kv }) => {
    const platforms = running ?? listIdle(opened, await findPaused(opened, (platform) => findWish(kv, platform)))
    return { ...found, platforms, queues: await countQueues(journal), unknown: await journal.unknownSends() }
  })
}

/** As the gateway says now; where it does not answer, as it wrote down last. */
async function readLinks({ signal }: Cli, home: Home): Promise<readonly LinkStatus[]> {
  try {
    return ((await askGateway(home, 'status', null, { signal, timeoutMs: 2_000 })) as GatewayStatus).platforms
  } catch (error) {
    signal.throwIfAborted()
    if (!isAgentError(error)) throw error
    return readGatewayState(home)?.platforms ?? []
  }
}

async function findPaused({ catalog }: OpenedCatalog, wishOf: (platform: string) => ReturnType<typeof findWish>): Promise<Set<string>> {
  const paused = new Set<string>()
  for (const { id } of catalog.of('platform')) if ((await wishOf(id)) === 'paused') paused.add(id)
  return paused
}

function listIdle({ catalog }: OpenedCatalog, paused: ReadonlySet<string>): readonly PlatformStatus[] {
  return catalog.of('platform').map(({ id }) => ({ platform: id, state: paused.has(id) ? 'paused' : 'stopped', needsAttention: false }))
}
