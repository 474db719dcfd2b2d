import type { HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { type FakeServer, openFakeServer } from '@agent/plugin-sdk/testing'
import { createDiscordLimits, type DiscordLimits } from './discord-limits.ts'
import { answerRequest, reply } from './discord-rest.ts'
import { ann, application, bot, createWorld, direct, type FakeUser, guild, type StoredMessage, type World } from './discord-world.ts'
import { createGatewayDoor, type GatewayDoor } from './gateway-door.ts'

export interface DiscordServerOptions {
  readonly token?: string
  readonly heartbeatMs?: number
  /** Whether the bot may read what is said. */
  readonly contentIntent?: boolean
  /** How often sessions may be begun today. */
  readonly startsLeft?: number
  readonly limits?: DiscordLimits
}

export interface SayOptions {
  readonly channel?: string
  readonly author?: FakeUser
  readonly mention?: boolean
  readonly more?: Readonly<Record<string, unknown>>
  readonly files?: readonly { readonly name: string; readonly mime: string; readonly bytes: Uint8Array }[]
  /** It is kept, but nobody is told. */
  readonly untold?: boolean
}

export interface DiscordServer {
  /** For `base_url`. */
  readonly url: string
  readonly http: FakeServer
  readonly gateway: GatewayDoor
  readonly world: World
  say(content: string, options?: SayOptions): StoredMessage
  /** The gateway tells the last message of a person again. */
  retell(): void
  interact(data: Record<string, unknown>): void
  /** The next request whose method and path fit is answered so instead. */
  refuseNext(method: string, path: RegExp, status: number, body: object): void
  /** The next message arrives, but its receipt is lost. */
  loseReceipt(): void
  close(): Promise<void>
}

/** Discord in small, with one bot. */
export async function openDiscordServer(options: DiscordServerOptions = {}): Promise<DiscordServer> {
  const { token = 'token.of.bot', heartbeatMs = 41_250, contentIntent = true, startsLeft = 1000, limits = createDiscordLimits() } = options
  const world = createWorld()
  const ready = { user: bot, application: { id: application }, guilds: [{ id: guild, unavailable: true }] }
  const socketUrl = (): string => world.url.replace('http', 'ws')
  const begin = () => ({ ready, guilds: [world.describeGuild()] })
  const gateway = createGatewayDoor({ token, heartbeatMs, contentIntent, url: socketUrl, ready: begin })
  const refusals: { method: string; path: RegExp; status: number; body: object }[] = []
  let losing = false

  const authorise = ({ method, headers }: HttpRequest, path: string): HttpReply | undefined => {
    const planned = refusals.findIndex((one) => one.method === method && one.path.test(path))
    const [refusal] = planned < 0 ? [] : refusals.splice(planned, 1)
    if (refusal) return reply(refusal.status, refusal.body)
    // https://docs.discord.com/developers/reference#user-agent
    if (!/^DiscordBot \(https?:\/\/[^\s,]+, [^\s)]+\)/.test(headers['user-agent'] ?? '')) return reply(403, { message: 'error code: 1010' })
    const { waitMs, global } = limits(method, path)
    if (waitMs > 0) return limited(waitMs / 1000, global)
    // The token of an interaction is enough.
    if (/^\/(webhooks|interactions)\//.test(path) || headers.authorization === `Bot ${token}`) return undefined
    return reply(401, { message: '401: Unauthorized', code: 0 })
  }
  const answer = async (request: HttpRequest): Promise<HttpReply> => {
    const { pathname: path } = new URL(request.url, 'http://fake')
    if (path.startsWith('/files/')) return readFile(world, path)
    const refusal = authorise(request, path)
    if (refusal) return refusal
    if (path === '/gateway/bot') {
      const session_start_limit = { total: 1000, remaining: startsLeft, reset_after: 14_400_000, max_concurrency: 1 }
      return reply(200, { url: socketUrl(), shards: 1, session_start_limit })
    }
    const before = world.messages.length
    const answered = await answerRequest(world, request, gateway.dispatch)
    if (!losing || world.messages.length === before) return answered
    losing = false
    return { status: 502 }
  }
  const http = await openFakeServer(answer, { socket: gateway.accept })
  world.url = http.url
  return {
    url: http.url,
    http,
    gateway,
    world,
    say: (content, said = {}) => {
      const message = say(world, content, said)
      if (!said.untold) gateway.dispatch('MESSAGE_CREATE', message.data)
      return message
    },
    retell: () => gateway.dispatch('MESSAGE_CREATE', world.messages.findLast(({ author }) => author !== bot.id)?.data),
    interact: (data) => {
      gateway.dispatch('INTERACTION_CREATE', { version: 1, application_id: application, token: 'interaction-token', ...data })
    },
    refuseNext: (method, path, status, body) => void refusals.push({ method, path, status, body }),
    loseReceipt: () => {
      losing = true
    },
    close: () => http[Symbol.asyncDispose](),
  }
}

function limited(seconds: number, global: boolean): HttpReply {
  const scope = global ? { 'X-RateLimit-Global': 'true', 'X-RateLimit-Scope': 'global' } : { 'X-RateLimit-Scope': 'user' }
  const { headers, ...refusal } = reply(429, { message: 'You are being rate limited.', retry_after: seconds, global })
  return {
    ...refusal,
    headers: { ...headers, ...scope, 'Retry-After': String(Math.ceil(seconds)), 'X-RateLimit-Reset-After': String(seconds) },
  }
}

function say(world: World, content: string, options: SayOptions): StoredMessage {
  const { channel = direct, author = ann, mention = false, more = {}, files = [] } = options
  const { guild_id } = world.channels.get(channel) ?? {}
  const kept = files.map((file, index) => ({ ...file, id: `${index + 1}` }))
  const named = mention ? { content: `<@${bot.id}> ${content}`, mentions: [bot] } : { content }
  return world.store(channel, author, { ...named, ...(guild_id ? { guild_id } : {}), ...more }, kept)
}

function readFile(world: World, path: string): HttpReply {
  const [, , message, id] = path.split('/')
  const file = world.messages.find((one) => one.id === message)?.files.find((one) => one.id === id)
  return file ? { status: 200, headers: { 'content-type': file.mime }, body: file.bytes } : { status: 404 }
}
