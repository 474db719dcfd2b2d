import type { InboundMessage, Log } from '@agent/plugin-sdk'
import type { Kv } from '#store/kv.ts'

/** Threads in which the bot was asked something: there it goes on without being named. Kept over restarts. */
export interface JoinedThreads {
  has(platform: string, message: InboundMessage): boolean
  join(platform: string, message: InboundMessage): void
}

const space = 'gateway.threads'
const kept = 500

export async function openJoinedThreads(kv: Kv, log: Log): Promise<JoinedThreads> {
  const joined = new Map<string, Set<string>>()
  for (const platform of await kv.keys(space)) {
    const stored = await kv.get(space, platform)
    if (Array.isArray(stored)) joined.set(platform, new Set(stored.filter((one): one is string => typeof one === 'string')))
  }
  const store = (platform: string, threads: ReadonlySet<string>): void => {
    kv.set(space, platform, [...threads]).catch((error: unknown) => {
      log.warn('a thread could not be kept', { platform, error: String(error) })
    })
  }
  return {
    has: (platform, message) => joined.get(platform)?.has(nameOf(message)) === true,
    join(platform, message) {
      if (message.conversation.kind !== 'thread') return
      const threads = joined.get(platform) ?? new Set()
      joined.set(platform, threads)
      const name = nameOf(message)
      if (threads.has(name)) return
      threads.add(name)
      const [oldest] = threads
      if (threads.size > kept && oldest !== undefined) threads.delete(oldest)
      store(platform, threads)
    },
  }
}

/** Forgets those of a platform that is gone. */
export async function forgetThreads(kv: Kv, platform: string): Promise<void> {
  await kv.delete(space, platform)
}

function nameOf({ account, conversation }: InboundMessage): string {
  return JSON.stringify([account, conversation.id])
}
