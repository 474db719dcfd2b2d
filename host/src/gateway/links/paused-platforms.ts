import type { Log } from '@agent/plugin-sdk'
import type { Kv } from '#store/kv.ts'
import type { Link } from './platform-link.ts'

/** What a person wants of a platform. A pause holds until it is taken back; to resume is done once. */
export type PlatformWish = 'paused' | 'resumed'

// A dot stands in no plugin's id, so no plugin has this space.
const space = 'host.platforms'

/** Asks the gateway of a home for something: now if it runs, else when it starts. */
export async function wishFor(kv: Kv, platform: string, wish: PlatformWish): Promise<void> {
  await kv.set(space, platform, wish)
}

/** What is still wanted of a platform. */
export async function findWish(kv: Kv, platform: string): Promise<PlatformWish | undefined> {
  const wish = await kv.get(space, platform)
  return wish === 'paused' || wish === 'resumed' ? wish : undefined
}

/** Nothing is wanted of a platform any more: it is gone. */
export async function forgetWish(kv: Kv, platform: string): Promise<void> {
  await kv.delete(space, platform)
}

export interface PausingOptions {
  readonly kv: Kv
  readonly links: ReadonlyMap<string, Pick<Link, 'status' | 'pause' | 'resume'>>
  readonly log: Log
}

/** Returns what makes the connections follow the wishes; one call at a time, and it never rejects. */
export function createPausing({ kv, links, log }: PausingOptions): () => Promise<void> {
  const follow = async (): Promise<void> => {
    for (const [platform, link] of links) {
      const wish = await findWish(kv, platform)
      if (wish === 'paused' && link.status().state !== 'paused') await link.pause()
      if (wish !== 'resumed') continue
      link.resume()
      // Somebody may have paused it since.
      await kv.deleteIf(space, platform, wish)
    }
  }
  let going: Promise<void> | undefined
  let again = false
  // A wish may come for a platform that was looked at a moment ago.
  const followAll = async (): Promise<void> => {
    while (again) {
      again = false
      await follow().catch((error: unknown) => log.error('what is wanted of the platforms could not be read', { error: String(error) }))
    }
    going = undefined
  }
  return () => {
    again = true
    going ??= followAll()
    return going
  }
}
