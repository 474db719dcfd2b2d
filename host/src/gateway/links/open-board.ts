import type { Clock } from '@agent/plugin-sdk'
import type { Home } from '#config/home.ts'
import type { GatewayStatus } from '../control/methods.ts'
import { openInstance } from '../instance.ts'
import type { QueueCounts } from '../queue-counts.ts'
import type { PlatformContextOptions } from './platform-context.ts'
import type { Link } from './platform-link.ts'

export interface BoardOptions {
  readonly home: Home
  readonly boot: string
  readonly links: ReadonlyMap<string, Link>
  readonly clock: Clock
}

/** What a gateway shows of itself to other processes. */
export interface Board {
  status(): GatewayStatus
  write(): void
  onReady(): void
  onCounted(counts: readonly QueueCounts[]): void
  readonly onListen: PlatformContextOptions['onListen']
  close(): void
}

/** Takes the home for this process; throws GATEWAY_RUNNING while another one has it. */
export function openBoard({ home, boot, links, clock }: BoardOptions): Board {
  const instance = openInstance(home, boot, clock)
  const urls: string[] = []
  let queues: readonly QueueCounts[] = []
  let ready = false
  const status = (): GatewayStatus => ({
    ...{ boot, url: urls[0] ?? '', queues },
    platforms: [...links.values()].map((link) => link.status()),
  })
  const write = (): void => {
    const { url, platforms } = status()
    instance.write({ url, ready, platforms, queues })
  }
  return {
    status,
    write,
    onReady: () => {
      ready = true
    },
    onCounted: (counts) => {
      queues = counts
      write()
    },
    onListen: (url) => {
      urls.push(url)
      return () => void urls.splice(urls.indexOf(url), 1)
    },
    close: () => instance.close(),
  }
}
