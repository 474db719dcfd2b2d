import type { Clock, Context, Log, PlatformManifest } from '@agent/plugin-sdk'
import type { Notices } from '#agent/notices.ts'
import type { Generations } from '#agent/reload/generations.ts'
import type { AgentTurns } from '#agent/turns.ts'
import type { SlashServices } from '#commands/slash.ts'
import type { Home } from '#config/home.ts'
import type { Loaded } from '#config/loaded.ts'
import type { Activator } from '#kernel/activate.ts'
import type { Catalog, Contribution } from '#kernel/catalog.ts'
import type { ExtensionHosts } from '#kernel/extension-host/extension-hosts.ts'
import type { Hooks } from '#kernel/hooks.ts'
import { newId } from '#kernel/ids.ts'
import { type Ledger, openLedger } from '#kernel/ledger.ts'
import type { Claim, ClaimedSend } from '#store/journal.ts'
import type { Store } from '#store/store.ts'
import type { Reception } from './authorise/reception.ts'
import { openMethods } from './control/methods.ts'
import { createCallbackListener } from './http/callback-listener.ts'
import { createEchoes } from './inbound/echoes.ts'
import { openInbox } from './inbound/open-inbox.ts'
import { openPlatformRules, type PlatformRules } from './inbound/platform-rules.ts'
import { openFaultFence } from './links/fault-fence.ts'
import type { LinkStatus } from './links/link-status.ts'
import { openBoard } from './links/open-board.ts'
import { createOpenPlatform } from './links/open-platform.ts'
import { createPausing } from './links/paused-platforms.ts'
import type { Link } from './links/platform-link.ts'
import { type MediaCache, openMediaCache } from './media/media-cache.ts'
import { createMessageHooks, type MessageHooks } from './message-hooks.ts'
import { type ChannelDirectory, openChannelDirectory } from './outbound/channel-directory.ts'
import { resolveTarget } from './outbound/delivery-target.ts'
import { showMenu } from './outbound/native-menu.ts'
import { openSpeech, type Speech } from './outbound/open-speech.ts'
import { type Destination, type OutboxPump, openOutboxPump } from './outbound/outbox-pump.ts'
import { keepRefreshing, type Listed, refreshDirectory } from './outbound/refresh-directory.ts'
import { tellNotices } from './outbound/tell-notices.ts'
import { countQueues, keepCounting } from './queue-counts.ts'
import { createReload } from './reload/create-reload.ts'
import type { ReloadReport } from './reload/reload-report.ts'
import { untilWritten } from './until-written.ts'
import { watchOthers } from './watch-others.ts'

export interface GatewayOptions {
  readonly home: Home
  readonly loaded: Loaded
  readonly catalog: Catalog
  /** Takes settings and plugins anew. */
  readonly generations: Generations
  readonly activator: Activator
  /** The children of plugins that run outside of this process. */
  readonly hosts?: ExtensionHosts | undefined
  readonly store: Store
  readonly turns: AgentTurns
  readonly hooks: Pick<Hooks, 'has' | 'call'>
  readonly onNotice: Notices['onNotice']
  /** What slash commands may do. */
  readonly services: SlashServices
  /** True when only the offline model would answer: platforms that reach other people do not start on it. */
  readonly offlineByDefault: boolean
  /** The part of a context that every plugin gets. */
  readonly createContext: (contribution: Contribution, ledger: Ledger) => Promise<Context>
  /** Where credentials are locked; absent: where all gateways of this user look. */
  readonly locks?: string
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}

export interface Gateway {
  /** Where the first request door listens; empty when none does. */
  readonly url: string
  platforms(): readonly LinkStatus[]
  /** Takes settings and plugins anew; what did not change goes on as it is. */
  reload(): Promise<ReloadReport>
  /** Stops receiving, finishes what runs or gives it back, and leaves the home. */
  close(): Promise<void>
}

const concurrentSends = 64
const leaseMs = 30_000
const firstAttemptMs = 10_000
/** Settled messages are forgotten after this long; duplicates are recognised until then. */
const keepSettledMs = 7 * 24 * 3_600_000

/** Opens the gateway of a home. Resolves when every platform has had its first attempt, or ten seconds for it. */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { home, store, clock, log } = options
  const boot = newId('boot')
  const ledger = openLedger('gateway', log, { disposeMs: 30_000 })
  const links = new Map<string, Link>()
  const board = openBoard({ home, boot, links, clock })
  ledger.add(() => board.close(), 'gateway.pid')
  try {
    await keepLease(options, boot, ledger)
    const recovery = await store.journal.recover(boot, { alone: true })
    const callbacks = createCallbackListener({ ...options.loaded.config.gateway.http, clock, log })
    ledger.add(() => callbacks.close(), 'callback listener')
    const rules = openPlatformRules(options)
    const echoes = createEchoes()
    // Whatever is sent is known as our own, should the platform bring it back.
    const speaking = {
      ...options,
      messageHooks: createMessageHooks(options.hooks, log),
      store: { ...store, journal: echoes.listen(store.journal) },
    }
    const outbox = openOutbox(speaking, boot, links)
    ledger.add(() => outbox.close(), 'outbox')
    const orphans = createOrphans(options, outbox, recovery.sends)
    const cache = openMediaCache(home.files.cache, clock)
    await cache.prune()
    const directory = openChannelDirectory({ kv: store.kv, now: clock.now, log })
    const speech = openSpeaking(speaking, { cache, links, rules, directory })
    const inbox = await openInbox({ ...speaking, ...speech, owner: boot, rules, echoes, directory, answerQuestion: options.turns.answer })
    ledger.add(() => inbox.close(), 'inbox')
    ledger.add(openNotices(speaking, rules), 'notices')
    const doors = { callbacks, cache, rules, echoes, inbox, onListen: board.onListen }
    const opening = createOpenPlatform(options, doors, links, (contribution, status) => onChange(contribution, status))
    ledger.add(() => opening.close(), 'platforms')
    ledger.add(openFence(options, links), 'fault fence')
    const refresh = { catalog: options.catalog, directory, clock, log, signal: ledger.signal }
    const listed = ({ id, spec }: Contribution<'platform'>): Listed => ({ spec, connection: links.get(id)?.connection() })
    const show = (contribution: Contribution<'platform'>): void => void showMenu({ ...refresh, ...listed(contribution) })
    const onChange = (contribution: Contribution<'platform'>, status: LinkStatus): void => {
      board.write()
      if (status.state !== 'connected') return
      orphans.settle(status.platform)
      outbox.wake()
      void refreshDirectory(refresh, listed(contribution))
      show(contribution)
    }
    for (const contribution of options.catalog.platforms()) links.set(contribution.id, await opening.open(contribution))
    const announce = (link: Link): void => onChange(link.contribution, link.status())
    const onCommands = (): void => options.catalog.platforms().forEach(show)
    const doing = { links, open: opening.open, announce, onCommands, rules, outbox }
    const reload = createReload({ ...options, ...doing, journal: store.journal, signal: ledger.signal })
    followOthers(options, { links, outbox, signal: ledger.signal })
    void keepRefreshing(refresh, () => options.catalog.platforms().map(listed))
    orphans.settleUnreachable(links)
    for (const claim of recovery.failed) await apologise(store, claim, inbox.reception)
    await waitForFirst(links, clock)
    board.onReady()
    await store.journal.prune(clock.now() - keepSettledMs)
    board.onCounted(await countQueues(store.journal))
    void keepCounting({ journal: store.journal, onCounted: board.onCounted, clock, log, signal: ledger.signal })
    ledger.add(await openMethods(options, { status: board.status, reload, signal: ledger.signal }), 'control channel')
    return { url: board.status().url, platforms: () => board.status().platforms, reload, close: async () => void (await ledger.dispose()) }
  } catch (error) {
    await ledger.dispose()
    throw error
  }
}

/** Does what other processes of the home ask for: to send something, to pause a platform. */
function followOthers(
  { store, clock, log }: GatewayOptions,
  { links, outbox, signal }: { links: ReadonlyMap<string, Link>; outbox: OutboxPump; signal: AbortSignal },
): void {
  const pausing = createPausing({ kv: store.kv, links, log })
  const onWritten = (): void => {
    outbox.wake()
    void pausing()
  }
  void watchOthers({ store, onWritten, clock, log, signal })
}

/** A platform that hangs does not keep the others waiting. */
async function waitForFirst(links: ReadonlyMap<string, Link>, clock: Clock): Promise<void> {
  const over = new AbortController()
  const late = clock.sleep(firstAttemptMs, over.signal).catch(() => undefined)
  await Promise.race([Promise.all([...links.values()].map((link) => link.settled)), late])
  over.abort()
}

function openFence({ catalog, log }: GatewayOptions, links: ReadonlyMap<string, Link>): () => void {
  return openFaultFence({
    source: process,
    plugins: () => catalog.plugins,
    onFault: (plugin, error) => {
      for (const link of links.values()) if (link.contribution.plugin.manifest.id === plugin) link.breakOff(error)
    },
    log,
  })
}

/** This boot owns its claims as long as its lease is renewed. */
async function keepLease(options: GatewayOptions, boot: string, ledger: Ledger): Promise<void> {
  const { store, clock, log } = options
  await store.leases.hold(boot, boot, leaseMs)
  const renew = async (): Promise<void> => {
    while (!ledger.signal.aborted) {
      await clock.sleep(leaseMs / 3, ledger.signal)
      await untilWritten(options, ledger.signal, async () => void (await store.leases.hold(boot, boot, leaseMs)))
    }
  }
  const renewing = renew().catch((error: unknown) => {
    if (!ledger.signal.aborted) log.error('the lease of this gateway could not be renewed', { error: String(error) })
  })
  ledger.add(async () => {
    await renewing
    await store.leases.release(boot, boot)
  }, 'lease')
}

interface Speaking {
  readonly cache: MediaCache
  readonly links: ReadonlyMap<string, Link>
  readonly rules: PlatformRules
  readonly directory: ChannelDirectory
}

interface SpeakingOptions extends GatewayOptions {
  readonly messageHooks: MessageHooks
}

function openSpeaking(options: SpeakingOptions, { cache, links, rules, directory }: Speaking): Speech {
  const { home, store, turns, catalog, loaded, clock, log } = options
  const homeOf = (platform: string): string | undefined => rules.of(platform).settings.home_channel
  const sources = { catalog, environment: loaded.environment, home: homeOf, channels: directory.list }
  return openSpeech({
    home,
    journal: store.journal,
    turns,
    cache,
    spec: (platform) => specOf(catalog, platform),
    connection: (platform) => links.get(platform)?.connection(),
    settings: (platform) => rules.of(platform).settings,
    revises: options.messageHooks.revises,
    resolve: (target) => resolveTarget(target, sources),
    clock,
    log,
  })
}

function openNotices({ store, turns, onNotice, catalog, clock, log }: GatewayOptions, rules: PlatformRules): () => Promise<void> {
  const { journal } = store
  const settings = (platform: string) => rules.of(platform).settings
  return tellNotices({ journal, turns, onNotice, spec: (platform) => specOf(catalog, platform), settings, clock, log })
}

function openOutbox(
  { store, catalog, messageHooks: { revise }, clock, log }: SpeakingOptions,
  owner: string,
  links: ReadonlyMap<string, Link>,
): OutboxPump {
  const destination = (platform: string): Destination | undefined => {
    const spec = specOf(catalog, platform)
    return spec && { spec, connection: links.get(platform)?.connection() }
  }
  const platforms = catalog.platforms().flatMap(({ id, spec }) => (spec.door === 'messaging' ? [id] : []))
  return openOutboxPump({ journal: store.journal, owner, platforms, destination, concurrency: concurrentSends, revise, clock, log })
}

function specOf(catalog: Catalog, platform: string): PlatformManifest | undefined {
  return catalog.find('platform', platform)?.spec
}

interface Orphans {
  settle(platform: string): void
  settleUnreachable(links: ReadonlyMap<string, Link>): void
}

/** Sends of the gateway before this one. A platform that can be asked about them is asked once it is connected. */
function createOrphans({ catalog, log }: GatewayOptions, outbox: OutboxPump, sends: readonly ClaimedSend[]): Orphans {
  const waiting = new Set(sends)
  const take = (wanted: (send: ClaimedSend) => boolean): void => {
    const taken = [...waiting].filter(wanted)
    for (const send of taken) waiting.delete(send)
    outbox.settleRecovered(taken).catch((error: unknown) => log.error('a lost receipt could not be settled', { error: String(error) }))
  }
  return {
    settle: (platform) => take((send) => send.platform === platform),
    settleUnreachable: (links) =>
      take((send) => !links.has(send.platform) || specOf(catalog, send.platform)?.capabilities.findSent !== true),
  }
}

/** Three crashes on one message: it is not tried a fourth time, and whoever wrote it is told, unless they are not let in. */
async function apologise({ journal }: Store, claim: Claim, reception: Reception): Promise<void> {
  const text = 'Sorry, this message made me stumble three times; I will not try it again. Please say it differently.'
  const outbound = reception.judge(claim.platform, claim.message) === 'pass' ? [{ text, replyTo: claim.message.id }] : []
  await journal.answer(claim, { outbound, turn: null, state: 'failed' })
}
