import type { Kv } from '#store/kv.ts'
import { quarantineIn } from '#store/quarantine.ts'
import { forgetThreads } from './authorise/joined-threads.ts'
import { forgetChannels, listChannels } from './directory/channel-directory.ts'
import { findWish, forgetWish } from './links/paused-platforms.ts'

/** Something that the store keeps of a plugin. */
export interface Kept {
  readonly text: string
  forget(kv: Kv): Promise<void>
}

/** What the store keeps of a plugin and of its platforms: its own values, where its people are, and what was decided about it. */
export async function findKept(kv: Kv, plugin: string, platforms: readonly string[]): Promise<readonly Kept[]> {
  const values = await kv.keys(plugin)
  const kept: Kept[] = []
  if (values.length > 0) kept.push({ text: count(values.length, 'value'), forget: (own) => forgetValues(own, plugin) })
  if ((await quarantineIn(kv).get(plugin)) !== undefined) {
    kept.push({ text: 'the mark of its quarantine', forget: (own) => quarantineIn(own).delete(plugin) })
  }
  for (const platform of platforms) {
    const channels = await listChannels(kv, platform)
    if (channels.length > 0) {
      const forget = async (own: Kv): Promise<void> => {
        await forgetChannels(own, platform)
        await forgetThreads(own, platform)
      }
      kept.push({ text: `${count(channels.length, 'channel')} of ${platform}`, forget })
    }
    if ((await findWish(kv, platform)) !== undefined) {
      kept.push({ text: `the pause of ${platform}`, forget: (own) => forgetWish(own, platform) })
    }
  }
  return kept
}

async function forgetValues(kv: Kv, space: string): Promise<void> {
  for (const key of await kv.keys(space)) await kv.delete(space, key)
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`
}
