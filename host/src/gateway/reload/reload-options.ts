import type { Clock, Log } from '@agent/plugin-sdk'
import type { Generations } from '#agent/reload/generations.ts'
import type { Activator } from '#kernel/activation/activate.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import type { Journal } from '#store/journal.ts'
import type { Link } from '../links/platform-link.ts'
import type { Outbox } from '../outbound/outbox.ts'
import type { PlatformRules } from '../rules/platform-rules.ts'
import type { ServedProfile } from './reload-report.ts'

export interface ReloadOptions {
  readonly generations: Generations
  readonly links: Map<string, Link>
  /** Resolves when every platform was tried; nothing is taken again before. */
  readonly opened: Promise<void>
  /** Connects a platform; nobody hears of its state before it stands in `links`. */
  readonly open: (contribution: Contribution<'platform'>) => Promise<Link>
  /** Does what is due for a connection that has just been put into `links`, or taken out. */
  readonly announce: (link: Link) => void
  /** Resolves when other processes see the connections as they are now. */
  readonly shown: () => Promise<void>
  /** Does what is due when other commands are on offer. */
  readonly onCommands: () => void
  readonly activator: Pick<Activator, 'entry' | 'retire'>
  readonly rules: Pick<PlatformRules, 'of' | 'readAnew'>
  readonly outbox: Pick<Outbox, 'follow'>
  readonly journal: Pick<Journal, 'pending'>
  /** Only the offline model would answer. */
  readonly isOfflineByDefault: () => boolean
  /** The other profiles of a gateway that serves them: tells which of them changed or cannot be served. */
  readonly guests?: { renew(): Promise<readonly ServedProfile[]> } | undefined
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}
