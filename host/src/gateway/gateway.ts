import type { OpenAgent } from '#agent/open-agent.ts'
import type { SlashServices } from '#commands/slash.ts'
import { newId } from '#kernel/ids.ts'
import { openLedger } from '#kernel/ledger.ts'
import { createEchoes } from './authorise/echoes.ts'
import { openMethods } from './control/methods.ts'
import { openChannelDirectory } from './directory/channel-directory.ts'
import { resolveFrom } from './directory/delivery-target.ts'
import { createCallbackListener } from './http/callback-listener.ts'
import { openInbox } from './inbound/open-inbox.ts'
import { openStatusFile } from './instance/gateway-status.ts'
import { openLease } from './instance/open-lease.ts'
import { keepCounting } from './instance/queue-counts.ts'
import { openFaultFence } from './links/fault-fence.ts'
import { followWishes } from './links/follow-wishes.ts'
import type { LinkStatus } from './links/link-status.ts'
import { createOpenPlatforms } from './links/open-platform.ts'
import type { Link } from './links/platform-link.ts'
import { openMediaCache } from './media/media-cache.ts'
import { followPlatforms } from './on-platform-change.ts'
import { createLostReceipts } from './outbound/lost-receipts.ts'
import { openOutbox } from './outbound/outbox.ts'
import { openReplies } from './outbound/replies.ts'
import { openNoticeTeller } from './outbound/tell-notices.ts'
import { createReload } from './reload/create-reload.ts'
import type { ReloadReport } from './reload/reload-report.ts'
import { createMessageHooks } from './rules/message-hooks.ts'
import { openPlatformRules } from './rules/platform-rules.ts'

type Lent = 'home' | 'loaded' | 'catalog' | 'generations' | 'activator' | 'store' | 'turns' | 'onNotice' | 'createContext' | 'clock' | 'log'

export interface GatewayOptions extends Pick<OpenAgent, Lent>, Partial<Pick<OpenAgent, 'hosts'>> {
  readonly hooks: Pick<OpenAgent['hooks'], 'has' | 'call'>
  /** What slash commands may do. */
  readonly services: SlashServices
  /** True when only the offline model would answer: platforms that reach other people do not start on it. */
  readonly offlineByDefault: boolean
  /** Where credentials are locked; absent: where all gateways of this user look. */
  readonly locks?: string
  readonly random: () => number
}

export interface Gateway {
  /** Where the first request door listens; empty when none does. */
  readonly url: string
  platforms(): readonly LinkStatus[]
  /** Takes settings and plugins again; what did not change goes on as it is. */
  reload(): Promise<ReloadReport>
  /** Stops receiving, finishes what runs or gives it back, and leaves the home. */
  close(): Promise<void>
}

const concurrentSends = 64
/** Settled messages are forgotten after this long; duplicates are recognised until then. */
const keepSettledMs = 7 * 24 * 3_600_000

/**
 * Opens the gateway of a home: its parts in the order in which they start, and closed the other way round. Resolves when every platform
 * has had its first attempt, or ten seconds for it.
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { home, catalog, clock, log } = options
  const ledger = openLedger('gateway', log, { disposeMs: 30_000 })
  const keep = <Part extends { close(): void | Promise<void> }>(label: string, part: Part): Part => {
    ledger.add(() => part.close(), label)
    return part
  }
  const links = new Map<string, Link>()
  const own = { ...options, owner: newId('boot'), links, signal: ledger.signal }
  const status = keep('gateway.pid', openStatusFile(own))
  try {
    keep('lease', await openLease(own))
    const recovery = await options.store.journal.recover(own.owner, { alone: true })
    const callbacks = keep('callback listener', createCallbackListener({ ...options.loaded.config.gateway.http, clock, log }))
    const echoes = createEchoes()
    // Whatever is sent is known as our own, should the platform bring it back.
    const journal = echoes.listen(options.store.journal)
    const base = {
      ...{ ...own, callbacks, echoes, journal, store: { ...options.store, journal } },
      ...{ rules: openPlatformRules(options), messageHooks: createMessageHooks(options.hooks, log) },
      ...{ cache: openMediaCache(home.files.cache, clock), directory: openChannelDirectory({ kv: options.store.kv, now: clock.now, log }) },
    }
    await base.cache.prune()
    const platforms = catalog.of('platform').flatMap(({ id, spec }) => (spec.door === 'messaging' ? [id] : []))
    const outbox = keep('outbox', openOutbox({ ...base, platforms, concurrency: concurrentSends }))
    const lost = createLostReceipts({ ...base, outbox, sends: recovery.sends })
    const replies = openReplies({ ...base, resolve: resolveFrom(base) })
    const inbox = keep('inbox', await openInbox({ ...base, replies }))
    keep('notices', openNoticeTeller(base))
    const { onChange, onCommands } = followPlatforms({ ...base, status, outbox, lost })
    const opening = keep('platforms', createOpenPlatforms({ ...base, inbox, onListen: status.onListen, onChange }))
    keep('fault fence', openFaultFence({ ...base, source: process }))
    for (const contribution of catalog.of('platform')) links.set(contribution.id, await opening.open(contribution))
    const announce = (link: Link): void => onChange(link.contribution, link.status())
    const reload = createReload({ ...base, open: opening.open, announce, onCommands, outbox })
    followWishes({ ...base, outbox })
    lost.settleUnreachable()
    await inbox.giveUp(recovery.failed)
    await opening.tried()
    status.onReady()
    await journal.prune(clock.now() - keepSettledMs)
    await keepCounting({ ...base, onCounted: status.onCounted })
    keep('control channel', await openMethods(options, { status: status.status, reload, signal: ledger.signal }))
    return {
      url: status.status().url,
      platforms: () => status.status().platforms,
      reload,
      close: async () => void (await ledger.dispose()),
    }
  } catch (error) {
    await ledger.dispose()
    throw error
  }
}
