/** The memory of a Mattermost server in small: a channel, a direct conversation, two people and a bot. */
export interface World {
  readonly posts: StoredPost[]
  readonly channels: FakeChannel[]
  readonly users: FakeUser[]
  readonly files: Map<string, StoredFile>
  /** Names of the reactions of the bot, by post. */
  readonly reactions: Map<string, Set<string>>
  readonly typings: string[]
  readonly pending: Map<string, string>
  nextId(): string
  /** Milliseconds since 1970; each call is later than the one before. */
  tick(): number
  add(post: Partial<StoredPost> & Pick<StoredPost, 'user_id' | 'channel_id' | 'message'>): StoredPost
}

export interface StoredFile {
  readonly id: string
  readonly name: string
  readonly mime: string
  readonly bytes: Uint8Array
}

export interface FakeChannel {
  readonly id: string
  readonly type: string
  readonly name: string
  readonly display_name: string
}

export interface FakeUser {
  readonly id: string
  readonly username: string
  readonly is_bot: boolean
}

export interface StoredPost {
  readonly id: string
  readonly create_at: number
  update_at: number
  delete_at: number
  readonly user_id: string
  readonly channel_id: string
  readonly root_id: string
  readonly original_id: string
  message: string
  readonly type: string
  readonly props: Readonly<Record<string, unknown>>
  readonly file_ids: readonly string[]
}

const id = (start: string): string => start.padEnd(26, '0')

export const bot: FakeUser = { id: id('agent'), username: 'agent', is_bot: true }
export const ann: FakeUser = { id: id('ann'), username: 'ann', is_bot: false }
export const robot: FakeUser = { id: id('robot'), username: 'robot', is_bot: true }
export const town = id('town')
export const direct = id('direct')

export function createWorld(): World {
  let number = 0
  let now = 1_700_000_000_000
  const posts: StoredPost[] = []
  const nextId = (): string => {
    number += 1
    return `p${String(number).padStart(25, '0')}`
  }
  const tick = (): number => {
    now += 1000
    return now
  }
  return {
    posts,
    channels: [
      { id: town, type: 'O', name: 'town-square', display_name: 'Town Square' },
      { id: direct, type: 'D', name: `${ann.id}__${bot.id}`, display_name: '' },
    ],
    users: [bot, ann, robot],
    files: new Map(),
    reactions: new Map(),
    typings: [],
    pending: new Map(),
    nextId,
    tick,
    add: (post) => {
      const at = tick()
      const empty = { root_id: '', original_id: '', type: '', props: {}, file_ids: [], delete_at: 0 }
      const stored: StoredPost = { ...empty, id: nextId(), create_at: at, update_at: at, ...post }
      posts.push(stored)
      return stored
    },
  }
}

/** A post as the server gives it out: without its words when it was deleted, with what is known of its files. */
export function describePost({ files }: World, post: StoredPost): object {
  const infos = post.file_ids.flatMap((file) => {
    const stored = files.get(file)
    return stored ? [{ id: file, name: stored.name, size: stored.bytes.length, mime_type: stored.mime }] : []
  })
  const metadata = infos.length > 0 ? { files: infos } : {}
  return { ...post, ...(post.delete_at > 0 ? { message: '' } : {}), pending_post_id: '', metadata }
}
