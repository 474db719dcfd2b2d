/** Discord's memory in small: one server with a channel and a forum, and one direct conversation. */
export interface World {
  readonly messages: StoredMessage[]
  readonly channels: Map<string, FakeChannel>
  /** Callbacks and follow-ups to interactions, in order. */
  readonly answers: { path: string; body: Record<string, unknown> }[]
  readonly typings: string[]
  commands: readonly { readonly name: string }[]
  /** The command that starts an activity of the application, where it has one. */
  entryPoint?: { readonly id: string; readonly type: 4; readonly name: string; readonly description: string; readonly handler: number }
  /** Where files are kept. */
  url: string
  nextId(): string
  store(channel: string, author: FakeUser, payload: Payload, files: readonly FakeFile[]): StoredMessage
  find(channel: string, id: string): StoredMessage | undefined
  /** The server as the gateway tells of it. */
  describeGuild(): object
}

export interface FakeUser {
  readonly id: string
  readonly username: string
  readonly bot?: boolean
}

export interface FakeChannel {
  readonly id: string
  readonly type: number
  readonly name?: string
  readonly parent_id?: string
  readonly guild_id?: string
  readonly flags?: number
  readonly available_tags?: readonly { readonly id: string; readonly name: string; readonly moderated: boolean }[]
}

export interface FakeFile {
  readonly id: string
  readonly name: string
  readonly mime: string
  readonly bytes: Uint8Array
}

export type Components = readonly { readonly components: readonly { readonly label: string; readonly custom_id: string }[] }[]

export interface Payload extends Record<string, unknown> {
  readonly content?: string
  readonly nonce?: string
  readonly enforce_nonce?: boolean
  readonly components?: Components
}

export interface StoredMessage {
  readonly id: string
  channel: string
  readonly author: string
  content: string
  components: Components
  readonly nonce?: string
  data: Readonly<Record<string, unknown>>
  readonly files: readonly FakeFile[]
  readonly reactions: Map<string, Set<string>>
}

export const bot: FakeUser = { id: '900', username: 'agent', bot: true }
export const ann: FakeUser = { id: '501', username: 'ann' }
export const application = '901'
export const guild = '700'
export const general = '701'
export const forum = '702'
export const direct = '710'

const epoch = 1_420_070_400_000n
const first: readonly FakeChannel[] = [
  { id: general, type: 0, name: 'general', guild_id: guild },
  { id: forum, type: 15, name: 'questions', guild_id: guild },
  { id: direct, type: 1 },
]

export function createWorld(): World {
  let tick = 1_700_000_000_000n
  const messages: StoredMessage[] = []
  const channels = new Map(first.map((channel) => [channel.id, channel]))
  const nextId = (): string => {
    tick += 1n
    return String((tick - epoch) << 22n)
  }
  const world: World = {
    messages,
    channels,
    answers: [],
    typings: [],
    commands: [],
    url: '',
    nextId,
    find: (channel, id) => messages.find((one) => one.id === id && one.channel === channel),
    store: (channel, author, { content = '', components = [], nonce, ...more }, files) => {
      const id = nextId()
      const attachments = files.map(({ id: file, name: filename, mime: content_type, bytes }) => {
        return { id: file, filename, content_type, size: bytes.length, url: `${world.url}/files/${id}/${file}` }
      })
      const timestamp = new Date(Number(tick)).toISOString()
      const about = { id, type: 0, channel_id: channel, author, timestamp, mentions: [], attachments, components, content }
      const data = { ...about, ...(nonce === undefined ? {} : { nonce }), ...more }
      const kept = { id, channel, author: author.id, content, components, files, data, reactions: new Map<string, Set<string>>() }
      const message: StoredMessage = nonce === undefined ? kept : { ...kept, nonce }
      messages.push(message)
      return message
    },
    describeGuild: () => {
      const all = [...channels.values()].filter(({ guild_id }) => guild_id)
      return {
        id: guild,
        name: 'The Server',
        channels: all.filter(({ type }) => type !== 11).map(({ guild_id: _, ...channel }) => channel),
        threads: all.filter(({ type }) => type === 11),
        roles: [{ id: '799', name: 'agent', tags: { bot_id: bot.id } }],
      }
    },
  }
  return world
}
