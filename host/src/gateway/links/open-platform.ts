import { type Clock, type Context, isOverWithin, type Platform } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Generations } from '#agent/reload/generations.ts'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import type { Activator } from '#kernel/activation/activate.ts'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import { type Ledger, openLedger } from '#kernel/ledger.ts'
import type { Store } from '#store/store.ts'
import type { CallbackListener } from '../http/callback-listener.ts'
import type { Inbox } from '../inbound/open-inbox.ts'
import type { MediaCache } from '../media/media-cache.ts'
import { openPlatformRules, type PlatformRulesOptions } from '../rules/platform-rules.ts'
import type { LinkStatus } from './link-status.ts'
import { type LockPlatformOptions, lockPlatform } from './lock-platform.ts'
import { findWish } from './paused-platforms.ts'
import { createPlatformContext, type PlatformContextOptions } from './platform-context.ts'
import { type Link, openLink } from './platform-link.ts'

export interface OpenPlatformsOptions extends Omit<LockPlatformOptions & PlatformRulesOptions, 'home'> {
  readonly home: Home
  readonly loaded: Loaded
  readonly generations: Pick<Generations, 'loadedFor'>
  readonly activator: Pick<Activator, 'entry'>
  readonly store: Pick<Store, 'kv' | 'journal'>
  readonly turns: PlatformContextOptions['turns']
  readonly createContext: (contribution: Contribution, ledger: Ledger) => Promise<Context>
  /** True when only the offline model would answer: platforms that reach other people do not start on it. */
  readonly isOfflineByDefault: () => boolean
  readonly callbacks: CallbackListener
  readonly cache: MediaCache
  readonly inbox: Pick<Inbox, 'arrive' | 'isEcho' | 'press' | 'invited'>
  readonly openDoor?: PlatformContextOptions['openDoor']
  readonly onListen: PlatformContextOptions['onListen']
  /** The connections that stand; others are only tried. */
  readonly links: ReadonlyMap<string, Link>
  /** Told about each state of a connection that stands. */
  readonly onChange: (contribution: Contribution<'platform'>, status: LinkStatus) => void
  readonly clock: Clock
  readonly random: () => number
}

export interface OpenPlatforms {
  /** Connects a platform. Of its state is told once it is the one that stands in `links`. */
  open(contribution: Contribution<'platform'>): Promise<Link>
  /** Resolves when every platform has had its first attempt, or ten seconds for it: one that hangs does not keep the others waiting. */
  tried(): Promise<void>
  /** Closes all that are open, also those that are only tried. */
  close(): Promise<void>
}

const firstAttemptMs = 10_000

export function createOpenPlatforms(options: OpenPlatformsOptions): OpenPlatforms {
  const { links, onChange } = options
  const opened = new Set<Link>()
  let closed = false
  return {
    open: async (contribution) => {
      const paused = (await findWish(options.store.kv, contribution.id)) === 'paused'
      const tell = (status: LinkStatus): void => {
        const current = links.get(contribution.id)
        if (current !== undefined && current === own) onChange(contribution, status)
      }
      // A reload that the end of the gateway has overtaken connects nothing more.
      if (closed) throw fail('INTERRUPTED')
      let own: Link | undefined
      const link = openPlatform(options, contribution, { paused, onChange: tell })
      const made: Link = {
        ...link,
        close: async () => {
          await link.close()
          opened.delete(made)
        },
      }
      own = made
      opened.add(made)
      return made
    },
    tried: async () => {
      await isOverWithin({ clock: options.clock, ms: firstAttemptMs }, Promise.all([...links.values()].map((link) => link.settled)))
    },
    close: async () => {
      closed = true
      await Promise.all([...opened].map((link) => link.close()))
    },
  }
}

interface State {
  readonly paused: boolean
  readonly onChange: (status: LinkStatus) => void
}

function openPlatform(options: OpenPlatformsOptions, contribution: Contribution<'platform'>, { paused, onChange }: State): Link {
  const { activator, clock, random, log } = options
  const load = async (): Promise<Platform> => {
    openPlatformRules({ ...options, loaded: options.generations.loadedFor(contribution) }).requireSound(contribution.id)
    if (contribution.spec.reach === 'people' && options.isOfflineByDefault())
      throw fail('OFFLINE_MODEL', { platform: contribution.spec.label })
    return activator.entry<Platform>(contribution)
  }
  return openLink({
    contribution,
    lock: async () => lockPlatform({ ...options, loaded: options.generations.loadedFor(contribution) }, contribution),
    load,
    paused,
    receiveTimeoutMs: options.loaded.config.gateway.receive_timeout * 1000,
    openContext: async (lost) => openContext(options, contribution, lost),
    onChange,
    clock,
    random,
    log,
  })
}

async function openContext(
  options: OpenPlatformsOptions,
  contribution: Contribution<'platform'>,
  lost: PlatformContextOptions['lost'],
): ReturnType<Parameters<typeof openLink>[0]['openContext']> {
  const { store, inbox, cache } = options
  const ledger = openLedger(contribution.plugin.manifest.id, options.log)
  const base = await options.createContext(contribution, ledger)
  const context = createPlatformContext({
    ...options,
    ...inbox,
    contribution,
    base,
    ledger,
    journal: store.journal,
    files: cache,
    lost,
  })
  return { context, ledger }
}

/** A door has so long to listen before the others no longer wait for it, and then so long alone. */
const doorsMs = 1000
const headStartMs = 100

interface AllPlatforms {
  readonly catalog: Pick<Catalog, 'of'>
  readonly links: Map<string, Link>
  readonly clock: Clock
  readonly signal: AbortSignal
}

/**
 * Opens the doors that listen, and after a moment the platforms that connect outwards: who waits for the gateway is answered before chat networks
 * are loaded, which would take as long again.
 */
export async function openAllPlatforms(
  { catalog, links, clock, signal }: AllPlatforms,
  platforms: Pick<OpenPlatforms, 'open'>,
): Promise<void> {
  const all = catalog.of('platform')
  for (const contribution of all.filter(({ spec }) => spec.door === 'request'))
    links.set(contribution.id, await platforms.open(contribution))
  const doors = [...links.values()]
  const areOpen = await isOverWithin({ clock, ms: doorsMs, signal }, Promise.all(doors.map((door) => door.settled)))
  if (areOpen && doors.some((door) => door.status().state === 'connected')) await clock.sleep(headStartMs, signal)
  for (const contribution of all) if (!links.has(contribution.id)) links.set(contribution.id, await platforms.open(contribution))
}
