import type { Platform } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Contribution } from '#kernel/catalog.ts'
import { openLedger } from '#kernel/ledger.ts'
import type { GatewayOptions } from '../gateway.ts'
import type { CallbackListener } from '../http/callback-listener.ts'
import type { Echoes } from '../inbound/echoes.ts'
import type { Inbox } from '../inbound/open-inbox.ts'
import { openPlatformRules, type PlatformRules } from '../inbound/platform-rules.ts'
import type { MediaCache } from '../media/media-cache.ts'
import type { LinkStatus } from './link-status.ts'
import { lockPlatform } from './lock-platform.ts'
import { findWish } from './paused-platforms.ts'
import { createPlatformContext, type PlatformContextOptions } from './platform-context.ts'
import { type Link, openLink } from './platform-link.ts'

/** What all platforms of a gateway share. */
export interface Shared {
  readonly callbacks: CallbackListener
  readonly cache: MediaCache
  readonly rules: PlatformRules
  readonly echoes: Echoes
  readonly inbox: Pick<Inbox, 'arrive' | 'press'>
  readonly onListen: PlatformContextOptions['onListen']
}

export interface OpenPlatforms {
  /** Connects a platform. Of its state is told once it is the one that stands in `links`. */
  open(contribution: Contribution<'platform'>): Promise<Link>
  /** Closes all that are open, also those that are only tried. */
  close(): Promise<void>
}

export function createOpenPlatform(
  options: GatewayOptions,
  shared: Shared,
  links: ReadonlyMap<string, Link>,
  onChange: (contribution: Contribution<'platform'>, status: LinkStatus) => void,
): OpenPlatforms {
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
      const link = openPlatform(options, shared, contribution, { paused, onChange: tell })
      const close = async (): Promise<void> => {
        await link.close()
        if (own) opened.delete(own)
      }
      own = { ...link, close }
      opened.add(own)
      return own
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

function openPlatform(options: GatewayOptions, shared: Shared, contribution: Contribution<'platform'>, { paused, onChange }: State): Link {
  const { activator, clock, random, log } = options
  const load = async (): Promise<Platform> => {
    openPlatformRules({ ...options, loaded: options.generations.loadedFor(contribution) }).requireSound(contribution.id)
    if (options.offlineByDefault && contribution.spec.reach === 'people') throw fail('OFFLINE_MODEL', { platform: contribution.spec.label })
    return activator.entry<Platform>(contribution)
  }
  return openLink({
    contribution,
    lock: async () => lockPlatform({ ...options, loaded: options.generations.loadedFor(contribution) }, contribution),
    load,
    paused,
    receiveTimeoutMs: options.loaded.config.gateway.receive_timeout * 1000,
    openContext: async (lost) => openContext(options, shared, contribution, lost),
    onChange,
    clock,
    random,
    log,
  })
}

async function openContext(
  { store, turns, log, createContext }: GatewayOptions,
  { callbacks, cache, rules, echoes, inbox, onListen }: Shared,
  contribution: Contribution<'platform'>,
  lost: PlatformContextOptions['lost'],
): ReturnType<Parameters<typeof openLink>[0]['openContext']> {
  const ledger = openLedger(contribution.plugin.manifest.id, log)
  const base = await createContext(contribution, ledger)
  const context = createPlatformContext({
    contribution,
    base,
    ledger,
    journal: store.journal,
    arrive: inbox.arrive,
    press: inbox.press,
    isEcho: (message) => echoes.isOwn(contribution.id, message, rules.of(contribution.id).settings.reply_prefix),
    turns,
    files: cache,
    callbacks,
    lost,
    log,
    onListen,
  })
  return { context, ledger }
}
