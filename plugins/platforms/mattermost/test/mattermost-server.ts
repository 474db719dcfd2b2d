import type { HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { type FakeServer, openFakeServer } from '@agent/plugin-sdk/testing'
import { createRateLimiter } from '../../../../test/support/servers/rate-limiter.ts'
import { createEventsDoor, type EventsDoor } from './events-door.ts'
import { answerRequest, refuse } from './mattermost-rest.ts'
import {
  ann,
  bot,
  createWorld,
  describePost,
  direct,
  type FakeUser,
  type StoredFile,
  type StoredPost,
  type World,
} from './mattermost-world.ts'

export interface MattermostServerOptions {
  readonly token?: string
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/**
 * What a server grants that limits at all, with the figures it comes with: `PerSec` 10 and `MaxBurst` 100.
 * https://docs.mattermost.com/administration-guide/configure/rate-limiting-configuration-settings.html
 */
const allowance = { name: 'bot', burst: 100, everyMs: 100 }

export interface SayOptions {
  readonly channel?: string
  readonly author?: FakeUser
  readonly more?: Partial<StoredPost>
  readonly files?: readonly Omit<StoredFile, 'id'>[]
  /** It is kept, but nobody is told. */
  readonly untold?: boolean
}

export interface MattermostServer {
  /** For `MATTERMOST_URL`. */
  readonly url: string
  readonly http: FakeServer
  readonly world: World
  readonly events: EventsDoor
  say(message: string, options?: SayOptions): StoredPost
  /** The last post of a person is told again. */
  retell(): void
  /** The next request whose method and path fit is answered so instead. */
  refuseNext(method: string, path: RegExp, status: number, headers?: Readonly<Record<string, string>>): void
  /** The next message arrives, but its receipt is lost. */
  loseReceipt(): void
  close(): Promise<void>
}

/** A Mattermost server in small, with one bot. */
export async function openMattermostServer({ token = 'token-of-the-bot', now }: MattermostServerOptions = {}): Promise<MattermostServer> {
  const take = createRateLimiter(now)
  const world = createWorld()
  const events = createEventsDoor(token)
  const refusals: { method: string; path: RegExp; status: number; headers: Readonly<Record<string, string>> }[] = []
  let losing = false
  const tellPost = (post: StoredPost): void => {
    const sender = world.users.find(({ id }) => id === post.user_id)?.username
    events.tell('posted', { channel_type: 'O', post: JSON.stringify(describePost(world, post)), sender_name: `@${sender}`, team_id: '' })
  }
  const answer = async (request: HttpRequest): Promise<HttpReply> => {
    const { pathname: path } = new URL(request.url, 'http://fake')
    const planned = refusals.findIndex((one) => one.method === request.method && one.path.test(path))
    const [refusal] = planned < 0 ? [] : refusals.splice(planned, 1)
    if (refusal) return { ...refuse(refusal.status, 'planned', 'This was planned.'), headers: refusal.headers }
    if (!path.startsWith('/api/v4/')) return { status: 404, body: '<html>' }
    if (request.headers.authorization !== `Bearer ${token}`) {
      return refuse(401, 'api.context.session_expired.app_error', 'Invalid or expired session, please login again.')
    }
    const waitMs = take(allowance)
    if (waitMs > 0) return limited(Math.ceil(waitMs / 1000))
    const before = world.posts.length
    const answered = await answerRequest(world, request, events.tell)
    if (!losing || world.posts.length === before) return answered
    losing = false
    return { status: 502 }
  }
  const http = await openFakeServer(answer, {
    refuseSocket: ({ url }) => (url === '/api/v4/websocket' ? undefined : 404),
    socket: events.accept,
  })
  return {
    url: http.url,
    http,
    world,
    events,
    say: (message, { channel = direct, author = ann, more = {}, files = [], untold = false } = {}) => {
      const file_ids = files.map((file) => {
        const id = world.nextId()
        world.files.set(id, { ...file, id })
        return id
      })
      const post = world.add({ user_id: author.id, channel_id: channel, message, file_ids, ...more })
      if (!untold) tellPost(post)
      return post
    },
    retell: () => {
      const post = world.posts.findLast(({ user_id }) => user_id !== bot.id)
      if (post) tellPost(post)
    },
    refuseNext: (method, path, status, headers = {}) => void refusals.push({ method, path, status, headers }),
    loseReceipt: () => {
      losing = true
    },
    close: () => http[Symbol.asyncDispose](),
  }
}

function limited(seconds: number): HttpReply {
  const wait = String(seconds)
  const headers = { 'X-Ratelimit-Limit': '101', 'X-Ratelimit-Remaining': '0', 'X-Ratelimit-Reset': wait, 'Retry-After': wait }
  return { status: 429, headers, body: 'limit exceeded\n' }
}
