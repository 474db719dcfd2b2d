import type { ChatGround } from './chat-ground.ts'
import { type Hub, openHub } from './hub.ts'

/** What the chats of a profile need; the agent itself is closed by its closer. */
export interface OpenGround extends ChatGround {
  close(): Promise<void>
}

/** The chats of all profiles. The agent of a profile is opened when somebody first talks to it. */
export interface Chats {
  of(profile: string): Promise<Hub>
  close(): Promise<void>
}

export function createChats(open: (profile: string) => Promise<OpenGround>): Chats {
  const hubs = new Map<string, Promise<{ readonly hub: Hub; readonly ground: OpenGround }>>()
  const start = async (profile: string): Promise<{ readonly hub: Hub; readonly ground: OpenGround }> => {
    const ground = await open(profile)
    return { hub: openHub(ground), ground }
  }
  return {
    of: async (profile) => {
      const opening = hubs.get(profile) ?? start(profile)
      hubs.set(profile, opening)
      try {
        return (await opening).hub
      } catch (error) {
        // Settings that are mended let the next one in.
        hubs.delete(profile)
        throw error
      }
    },
    close: async () => {
      const all = await Promise.allSettled(hubs.values())
      hubs.clear()
      for (const each of all) {
        if (each.status === 'rejected') continue
        await each.value.hub.close()
        await each.value.ground.close()
      }
    },
  }
}
