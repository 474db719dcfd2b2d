import type { Clock, Log } from '@agent/plugin-sdk'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import type { ChannelDirectory } from './directory/channel-directory.ts'
import { keepRefreshing, type ListedPlatform, refreshDirectory } from './directory/refresh-directory.ts'
import type { StatusFile } from './instance/gateway-status.ts'
import type { LinkStatus } from './links/link-status.ts'
import type { Link } from './links/platform-link.ts'
import { showMenu } from './outbound/native-menu.ts'
import type { Outbox } from './outbound/outbox.ts'

export interface PlatformChangeOptions {
  readonly catalog: Catalog
  readonly links: ReadonlyMap<string, Link>
  readonly directory: ChannelDirectory
  readonly status: Pick<StatusFile, 'write'>
  readonly outbox: Pick<Outbox, 'onConnected'>
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

/** What is due when a platform changes. */
export interface PlatformChanges {
  onChange(contribution: Contribution<'platform'>, status: LinkStatus): void
  /** Other commands are on offer. */
  onCommands(): void
}

export function followPlatforms(options: PlatformChangeOptions): PlatformChanges {
  const { catalog, links, status, outbox } = options
  const listed = ({ id, spec }: Contribution<'platform'>): ListedPlatform => ({ spec, connection: links.get(id)?.connection() })
  const show = (contribution: Contribution<'platform'>): void => void showMenu({ ...options, ...listed(contribution) })
  void keepRefreshing(options, () => catalog.of('platform').map(listed))
  return {
    onChange: (contribution, { state, platform }) => {
      status.write()
      if (state !== 'connected') return
      outbox.onConnected(platform)
      void refreshDirectory(options, listed(contribution))
      show(contribution)
    },
    onCommands: () => catalog.of('platform').forEach(show),
  }
}
