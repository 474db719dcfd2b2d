import type { Home } from '#config/home/home.ts'
import { wishPlatform } from '#rpc/gateway/wish-platform.ts'
import type { Cli } from '../console/cli.ts'

/** Disconnects a platform until it is resumed, also over restarts. */
export async function pausePlatform(cli: Cli, word: string): Promise<void> {
  const { platform, home, done } = await wishPlatform(cli, word, 'paused')
  cli.out(`${platform} ${done ? 'is paused' : 'stays paused when the gateway starts'}. agent gateway resume ${platform} connects it again.`)
  if (!done) cli.out(describeIdle(home))
}

/** Connects a platform again that was paused, that had failed for good, or that waits for its next attempt. */
export async function resumePlatform(cli: Cli, word: string): Promise<void> {
  const { platform, home, done } = await wishPlatform(cli, word, 'resumed')
  cli.out(done ? `${platform} connects again. agent gateway status says how it is.` : `${platform} connects when the gateway starts.`)
  if (!done) cli.out(describeIdle(home))
}

function describeIdle(home: Home): string {
  return `No gateway runs for ${home.path} now.`
}
