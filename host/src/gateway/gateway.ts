import { openLedger } from '#kernel/ledger.ts'
import { openInOrder } from '#kernel/open-in-order.ts'
import { openMethods } from './control/methods.ts'
import { resolveFrom } from './directory/delivery-target.ts'
import { openGround } from './gateway-ground.ts'
import { createCallbackListener } from './http/callback-listener.ts'
import { openInbox } from './inbound/open-inbox.ts'
import { openStatusFile } from './instance/gateway-status.ts'
import { openLease } from './instance/open-lease.ts'
import { keepPruning } from './instance/prune-sessions.ts'
import { keepCounting } from './instance/queue-counts.ts'
import { openScheduler } from './jobs/open-scheduler.ts'
import { openFaultFence } from './links/fault-fence.ts'
import { followWishes } from './links/follow-wishes.ts'
import type { LinkStatus } from './links/link-status.ts'
import { createOpenPlatforms, openAllPlatforms } from './links/open-platform.ts'
import { openNotifiers } from './notifiers/open-notifiers.ts'
import { followPlatforms } from './on-platform-change.ts'
import { openOutbox } from './outbound/outbox.ts'
import { openReplies } from './outbound/replies.ts'
import { openNoticeTeller } from './outbound/tell-notices.ts'
import { createReload } from './reload/create-reload.ts'

export interface Gateway {
  /** Where the first request door listens; empty when none does. */
  readonly url: string
  platforms(): readonly LinkStatus[]
  /** Takes settings and plugins again; what did not change goes on as it is. */
  readonly reload: ReturnType<typeof createReload>
  /** Stops receiving, finishes what runs or gives it back, and leaves the home. */
  close(): Promise<void>
}

const concurrentSends = 64
/** Settled messages are forgotten after this long; duplicates are recognised until then. */
const keepSettledMs = 7 * 24 * 3_600_000

/** Opens the gateway of a home. Resolves when every platform has had its first attempt, or ten seconds for it. */
export async function openGateway(options: Parameters<typeof openGround>[0]): Promise<Gateway> {
  const ledger = openLedger('gateway', options.log, { disposeMs: 30_000 })
  const ground = openGround(options, ledger.signal)
  const { catalog, clock, journal, rules } = ground
  const prefixOf = (platform: string): string => rules.of(platform).settings.reply_prefix
  const messaging = catalog.of('platform').flatMap(({ id, spec }) => (spec.door === 'messaging' ? [id] : []))
  const list = openInOrder(ground, ledger)
    .add('status', openStatusFile)
    .add('lease', openLease)
    .add('recovery', ({ owner }) => journal.recover(owner, { alone: true }))
    .add('callbacks', ({ loaded, log, openDoor }) => createCallbackListener({ ...loaded.config.gateway.http, openDoor, clock, log }))
    .add('pruned', ({ cache }) => cache.prune())
    .add('outbox', (parts) => openOutbox({ ...parts, platforms: messaging, concurrency: concurrentSends, prefixOf }))
    .add('replies', (parts) => openReplies({ ...parts, resolve: resolveFrom(parts) }))
    .add('inbox', openInbox)
    .add('notices', openNoticeTeller)
    .add('scheduler', openScheduler)
    .add('posting', openNotifiers)
    .add('changes', followPlatforms)
    .add('platforms', (parts) => createOpenPlatforms({ ...parts, ...parts.changes, onListen: parts.status.onListen }))
    .add('fault fence', openFaultFence)
  try {
    const parts = await list.open()
    const { status, changes, platforms, recovery, outbox, inbox } = parts
    let sayOpened: () => void = () => undefined
    const opened = new Promise<void>((resolve) => (sayOpened = resolve))
    const announce: Parameters<typeof createReload>[0]['announce'] = (link) => changes.onChange(link.contribution, link.status())
    const shown = async (): Promise<void> => {
      parts.posting.wake()
      await status.written()
    }
    const reload = createReload({ ...parts, ...changes, opened, open: platforms.open, announce, shown })
    const hear = async (): Promise<void> => void (await Promise.all([...ground.links.values()].map((link) => link.hear())))
    // Who reads where it listens may ask it at once.
    const control = await openMethods(ground, { status: status.status, hear, reload, questions: inbox.questions, signal: ledger.signal })
    ledger.add(() => control.close(), 'control channel')
    await openAllPlatforms(ground, platforms)
    followWishes({ ...parts, outbox })
    await inbox.giveUp(recovery.failed)
    await platforms.tried()
    status.onReady()
    sayOpened()
    await journal.prune(clock.now() - keepSettledMs)
    void keepPruning(ground)
    await keepCounting({ ...parts, onCounted: status.onCounted })
    return {
      get url() {
        return status.status().url
      },
      platforms: () => status.status().platforms,
      reload,
      close: async () => void (await ledger.dispose()),
    }
  } catch (error) {
    await ledger.dispose()
    throw error
  }
}
