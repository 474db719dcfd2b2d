import { fail } from '@agent/plugin-sdk/errors'
import type { Home } from '#config/home/home.ts'
import { findInstance, readGatewayState } from '#gateway/instance/instance.ts'
import type { LinkStatus } from '#gateway/links/link-status.ts'
import { findWish, type PlatformWish, wishFor } from '#gateway/links/paused-platforms.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { waitFor } from '#rpc/gateway/wait-for.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { withStore } from '#rpc/home/open-home-store.ts'
import type { Cli } from '../console/cli.ts'

/** The gateway looks every second, and a connection may take ten to close. */
const withinMs = 30_000

/** Disconnects a platform until it is resumed, also over restarts. */
export async function pausePlatform(cli: Cli, word: string): Promise<void> {
  const platform = await findPlatform(cli, word)
  const { home, done } = await wish(cli, platform, 'paused', (status) => status.state === 'paused')
  cli.out(`${platform} ${done ? 'is paused' : 'stays paused when the gateway starts'}. agent gateway resume ${platform} connects it again.`)
  if (!done) cli.out(describeIdle(home))
}

/** Connects a platform again that was paused, that had failed for good, or that waits for its next attempt. */
export async function resumePlatform(cli: Cli, word: string): Promise<void> {
  const platform = await findPlatform(cli, word)
  const { home, done } = await wish(cli, platform, 'resumed', (status) => status.state !== 'paused')
  cli.out(done ? `${platform} connects again. agent gateway status says how it is.` : `${platform} connects when the gateway starts.`)
  if (!done) cli.out(describeIdle(home))
}

/** Tells the gateway and waits until it has done it; `done` is false where none runs. */
async function wish(
  cli: Cli,
  platform: string,
  wanted: PlatformWish,
  isDone: (status: LinkStatus) => boolean,
): Promise<{ readonly home: Home; readonly done: boolean }> {
  return withStore(cli, async ({ kv }, home) => {
    await wishFor(kv, platform, wanted)
    if (!findInstance(home)) return { home, done: false }
    const done = await waitFor(cli, withinMs, async () => {
      if (!findInstance(home)) return null
      const status = readGatewayState(home)?.platforms.find((one) => one.platform === platform)
      const taken = wanted === 'paused' || (await findWish(kv, platform)) !== wanted
      return status && taken && isDone(status) ? true : undefined
    })
    if (!done && findInstance(home)) throw fail('TIMED_OUT', { what: `Waiting for the gateway to see to ${platform}`, ms: withinMs })
    return { home, done: done === true }
  })
}

async function findPlatform(cli: Cli, word: string): Promise<string> {
  const known = (await openCatalog(cli)).catalog.of('platform').map(({ id }) => id)
  const wanted = word.toLowerCase().replaceAll('_', '-')
  if (known.includes(wanted)) return wanted
  const nearest = nearestName(wanted, known)
  const problem = `There is no platform "${word}" that could run.${nearest ? ` Did you mean "${nearest}"?` : ''}`
  throw fail('USAGE', { problem, try: 'agent gateway status' })
}

function describeIdle(home: Home): string {
  return `No gateway runs for ${home.path} now.`
}
