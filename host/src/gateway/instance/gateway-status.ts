import type { Clock, Log } from '@agent/plugin-sdk'
import type { Home } from '#config/home/home.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { type LinkStatus, newStatus } from '../links/link-status.ts'
import type { Link } from '../links/platform-link.ts'
import type { ServedProfile } from '../reload/reload-report.ts'
import { type InstanceMark, openInstance } from './instance.ts'
import type { QueueCounts } from './queue-counts.ts'

/** How a running gateway is, as itself says. */
export interface GatewayStatus {
  readonly boot: string
  readonly url: string
  readonly platforms: readonly LinkStatus[]
  readonly queues: readonly QueueCounts[]
  /** Of one that serves other profiles. */
  readonly profiles?: readonly ServedProfile[]
}

export interface StatusFileOptions {
  readonly home: Home
  /** Boot id of this gateway. */
  readonly owner: string
  readonly mark?: InstanceMark | undefined
  readonly catalog: Pick<Catalog, 'of'>
  /** Those that are open; the others of the catalog are still to be opened while the gateway starts. */
  readonly links: ReadonlyMap<string, Link>
  readonly clock: Clock
  readonly log: Log
}

/** What a gateway shows of itself to other processes. */
export interface StatusFile {
  status(): GatewayStatus
  write(): void
  /** Resolves when other processes can see what was written last. */
  written(): Promise<void>
  onReady(): void
  onCounted(counts: readonly QueueCounts[]): void
  /** Told about every listener that a platform opened; what it returns is called when it is closed. */
  readonly onListen: (listener: { readonly url: string }) => () => void
  close(): Promise<void>
}

/** Takes the home for this process; throws GATEWAY_RUNNING while another one has it. */
export function openStatusFile({ home, owner: boot, mark, catalog, links, clock, log }: StatusFileOptions): StatusFile {
  const instance = openInstance(home, boot, clock, mark)
  const listeners: { readonly url: string }[] = []
  let queues: readonly QueueCounts[] = []
  const openedAt = clock.now()
  let ready = false
  let writing: Promise<void> = Promise.resolve()
  const waiting = (): readonly LinkStatus[] => catalog.of('platform').flatMap(({ id }) => (links.has(id) ? [] : newStatus(id, openedAt)))
  const status = (): GatewayStatus => ({
    ...{ boot, url: listeners[0]?.url ?? '', queues },
    platforms: [...[...links.values()].map((link) => link.status()), ...(ready ? [] : waiting())],
  })
  const write = (): void => {
    const { url, platforms } = status()
    writing = instance.write({ url, ready, platforms, queues }).catch((error: unknown) => {
      log.warn('the state of the gateway could not be written', { error: String(error) })
    })
  }
  return {
    status,
    write,
    written: () => writing,
    onReady: () => {
      ready = true
    },
    onCounted: (counts) => {
      queues = counts
      write()
    },
    onListen: (listener) => {
      listeners.push(listener)
      return () => void listeners.splice(listeners.indexOf(listener), 1)
    },
    close: () => instance.close(),
  }
}
