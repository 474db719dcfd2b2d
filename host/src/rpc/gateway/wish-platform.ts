import { fail } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import { findInstance, readGatewayState } from '#gateway/instance/instance.ts'
import type { LinkStatus } from '#gateway/links/link-status.ts'
import { findWish, type PlatformWish, wishFor } from '#gateway/links/paused-platforms.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { openCatalog } from '../home/open-catalog.ts'
import { withStore } from '../home/open-home-store.ts'
import type { HomeContext } from '../home-context.ts'
import { waitFor } from './wait-for.ts'

/** The gateway looks every second, and a connection may take ten to close. */
const withinMs = 30_000

const isDone: Readonly<Record<PlatformWish, (status: LinkStatus) => boolean>> = {
  paused: ({ state }) => state === 'paused',
  resumed: ({ state }) => state !== 'paused',
}

export interface WishedPlatform {
  /** Its id, however it was written. */
  readonly platform: string
  readonly home: Home
  /** The gateway has done it; false: none runs, and it is done at the next start. */
  readonly done: boolean
}

/** Tells the gateway what a person wants of a platform, and waits until it has done it. */
export async function wishPlatform(context: HomeContext, word: string, wish: PlatformWish): Promise<WishedPlatform> {
  const platform = await findPlatform(context, word)
  return withStore(context, async ({ kv }, home) => {
    await wishFor(kv, platform, wish)
    if (!findInstance(home)) return { platform, home, done: false }
    const done = await waitFor(context, withinMs, async () => {
      if (!findInstance(home)) return null
      const status = readGatewayState(home)?.platforms.find((one) => one.platform === platform)
      const taken = wish === 'paused' || (await findWish(kv, platform)) !== wish
      return status && taken && isDone[wish](status) ? true : undefined
    })
    if (!done && findInstance(home)) throw fail('TIMED_OUT', { what: `Waiting for the gateway to see to ${platform}`, ms: withinMs })
    return { platform, home, done: done === true }
  })
}

async function findPlatform(context: HomeContext, word: string): Promise<string> {
  const known = (await openCatalog(context)).catalog.of('platform').map(({ id }) => id)
  const wanted = word.toLowerCase().replaceAll('_', '-')
  if (known.includes(wanted)) return wanted
  const nearest = nearestName(wanted, known)
  const problem = `There is no platform "${word}" that could run.${nearest ? ` Did you mean "${nearest}"?` : ''}`
  throw fail('USAGE', { problem, try: 'agent gateway status' })
}
