import type { Call, Connection, MessageRef, Mood, Platform, PlatformContext } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { connectWithin, createReceiveQueue, type Life, parseJson } from '@agent/plugin-sdk/http'
import { type Api, createApi, platform, refuse } from './api.ts'
import type { Config } from './config.ts'
import { createDirectory, type Directory } from './directory.ts'
import { type Events, openEvents } from './events.ts'
import { readMessage } from './inbound.ts'
import { type Memory, openMemory } from './memory.ts'
import { createSender } from './outbound.ts'
import { describePlace, parsePlace } from './place.ts'
import { replay } from './replay.ts'
import { loadSettings, type Settings } from './settings.ts'
import { isId, type Post, readPost, readPosted, readUser, type User } from './wire.ts'

/** One account on one server. */
const mattermost: Platform<Config> = {
  async connect(context, call) {
    const settings = await loadSettings(context.config, context.secrets)
    return await connectWithin(context, platform, call, (life) => open(context, settings, life))
  },
}

async function open(context: PlatformContext<Config>, settings: Settings, life: Life): Promise<Connection> {
  const { clock, files, state, log } = context
  const { signal } = life
  const api = createApi(context, settings)
  const self = await fetchSelf(api, signal)
  const directory = createDirectory(api)
  const memory = await openMemory(state, self.id)
  let events: Events | undefined
  const inbox = createInbox({ context, settings, life, api, directory, memory, self, socket: () => events })
  events = await openEvents({ settings, clock, life, onEvent: inbox.onEvent, onGap: inbox.replay })
  await inbox.begin()
  const sender = createSender({ api, account: self.id, files, clock, signal })
  log.info('connected to Mattermost', { bot: self.username })
  life.serve()
  const socket = events
  return {
    ...createExtras(api, directory, settings, self),
    send: sender.send,
    edit: sender.edit,
    findSent: sender.findSent,
    identity: async () => ({ id: self.id, name: self.username }),
    lastHeard: async () => life.lastHeard(),
    close: async (closing) => {
      await sender.finish(closing.signal)
      const closed = signal.aborted ? Promise.resolve() : socket.close()
      life.close()
      await closed
    },
  }
}

interface InboxOptions {
  readonly context: Pick<PlatformContext, 'receive' | 'clock'>
  readonly settings: Settings
  readonly life: Life
  readonly api: Api
  readonly directory: Directory
  readonly memory: Memory
  readonly self: User
  readonly socket: () => Events | undefined
}

/** Hands in what people say, in order: first what was said while nobody listened. */
function createInbox({ context, settings, life, api, directory, memory, self, socket }: InboxOptions): {
  onEvent(name: string, data: unknown): void
  /** Reads again from the last message that was handed in. */
  replay(): void
  /** Resolves when it is known from when on messages are heard. */
  begin(): Promise<void>
} {
  const { signal } = life
  const pause = (): void => socket()?.pause()
  const resume = (): void => socket()?.resume()
  const accept = createReceiveQueue({ ...context, signal, pause, resume, onFailure: life.end })
  const receiver = { self, settings }
  const onPost = async (post: Post): Promise<void> => {
    if (post.user_id === self.id) return
    const [channel, author] = [await directory.findChannel(post.channel_id, signal), await directory.findUser(post.user_id, signal)]
    const message = readMessage(post, { channel, author }, receiver)
    if (!message) return
    // What was not taken ends the connection, and is read again on the next.
    accept(message)
      .then(() => memory.setHeard(post.create_at))
      .catch(life.end)
  }
  let start: (reading: Promise<void>) => void = () => undefined
  let last = new Promise<void>((resolve) => {
    start = resolve
  })
  const inOrder = (work: () => Promise<void>): Promise<void> => {
    last = last.then(() => (signal.aborted ? undefined : work())).catch(life.end)
    return last
  }
  const read = (): Promise<void> => replay({ api, directory, memory, signal, onPost })
  return {
    onEvent: (name, data) => {
      const post = name === 'posted' ? readPost(parseJson(readPosted(data)?.post ?? '')) : undefined
      if (post) void inOrder(() => onPost(post))
    },
    replay: () => void inOrder(read),
    begin: async () => {
      const isFirst = memory.heard() === undefined
      const reading = read()
      start(reading.catch(life.end))
      if (isFirst) await reading
    },
  }
}

const marks: Readonly<Record<Mood, string>> = { seen: 'eyes', done: 'white_check_mark', failed: 'x' }

/** What a connection does besides sending. */
function createExtras(api: Api, directory: Directory, settings: Settings, self: User) {
  const expectOk = async (method: string, path: string, json: object | undefined, signal: AbortSignal): Promise<void> => {
    const answer = await api.ask(method, path, { signal, ...(json ? { json } : {}) })
    if (!answer.ok) throw refuse(answer)
  }
  return {
    typing: async (conversation: string, { signal }: Call): Promise<void> => {
      const place = parsePlace(conversation)
      if (!place) return
      await api.ask('POST', `/users/${self.id}/typing`, { signal, json: { channel_id: place.channel, parent_id: place.root ?? '' } })
    },
    react: async ({ id }: MessageRef, mood: Mood, { signal }: Call): Promise<void> => {
      if (!settings.reactions || !isId(id)) return
      await expectOk('POST', '/reactions', { user_id: self.id, post_id: id, emoji_name: marks[mood] }, signal)
      if (mood !== 'seen') await expectOk('DELETE', `/users/${self.id}/posts/${id}/reactions/${marks.seen}`, undefined, signal)
    },
    fetchMedia: (...[attachment, call]: Parameters<NonNullable<Connection['fetchMedia']>>) => fetchFile(api, attachment.id, call.signal),
    listConversations: async ({ signal }: Call) =>
      (await directory.fetchChannels(signal)).map((channel) => describePlace({ channel: channel.id }, channel)),
  }
}

async function* fetchFile(api: Pick<Api, 'request'>, id: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const lost = (detail: string) => fail('PLATFORM_UNREACHABLE', { platform, detail })
  if (!isId(id)) throw lost('there is no such file')
  const response = await api.request('GET', `/files/${id}`, { signal })
  if (!response.ok || !response.body) throw lost(`the file was answered ${response.status}`)
  yield* response.body as unknown as AsyncIterable<Uint8Array>
}

/** Who the token belongs to; asking for it proves the token. */
async function fetchSelf(api: Api, signal: AbortSignal): Promise<User> {
  const answer = await api.ask('GET', '/users/me', { signal })
  const self = answer.ok ? readUser(answer.body) : undefined
  if (self) return self
  if (answer.status === 404 || answer.ok) {
    throw fail('ENV_INVALID', { name: 'MATTERMOST_URL', problem: `leads to no Mattermost server: ${answer.detail}` })
  }
  throw refuse(answer)
}

export default mattermost
