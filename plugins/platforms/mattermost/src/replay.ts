import { type Api, refuse } from './api.ts'
import type { Directory } from './directory.ts'
import type { Memory } from './memory.ts'
import { type Post, readPosts } from './wire.ts'

export interface ReplayOptions {
  readonly api: Pick<Api, 'ask'>
  readonly directory: Pick<Directory, 'fetchChannels'>
  readonly memory: Memory
  readonly signal: AbortSignal
  readonly onPost: (post: Post) => Promise<void>
}

/** Events of several channels do not come quite in the order of their times. What is told twice is known by its id. */
const overlapMs = 5000

/** Reads what was said while nobody listened, the oldest first. The first time there is nothing to read: what was said before is not answered. */
export async function replay({ api, directory, memory, signal, onPost }: ReplayOptions): Promise<void> {
  const channels = await directory.fetchChannels(signal)
  const heard = memory.heard()
  if (heard === undefined) {
    const times = channels.map(({ last_post_at: last = 0 }) => last)
    return await memory.setHeard(Math.max(...times, 1))
  }
  const since = Math.max(heard - overlapMs, memory.began())
  const missed: Post[] = []
  for (const { id, last_post_at: last = Number.POSITIVE_INFINITY } of channels) {
    if (last <= since) continue
    const answer = await api.ask('GET', `/channels/${id}/posts?since=${since}`, { signal })
    if (answer.status === 403 || answer.status === 404) continue
    if (!answer.ok) throw refuse(answer)
    // The server gives what was changed since then, older posts with a new reaction too.
    missed.push(...(readPosts(answer.body) ?? []).filter((post) => post.create_at > since))
  }
  for (const post of missed.sort((one, other) => one.create_at - other.create_at)) await onPost(post)
}
