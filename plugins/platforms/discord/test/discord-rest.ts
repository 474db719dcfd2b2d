import type { HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { application, bot, type FakeChannel, type FakeFile, guild, type Payload, type StoredMessage, type World } from './discord-world.ts'

export type Tell = (name: string, data: unknown) => void

interface Asked {
  readonly world: World
  readonly method: string
  readonly query: URLSearchParams
  readonly payload: Payload
  readonly files: readonly FakeFile[]
  readonly tell: Tell
}

export function reply(status: number, body: unknown = ''): HttpReply {
  if (status === 204) return { status }
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}

const refuse = (status: number, code: number, message: string): HttpReply => reply(status, { message, code })
const refuseForm = (detail: string): HttpReply => refuse(400, 50_035, `Invalid Form Body: ${detail}`)

/** What Discord answers to a request of the bot. */
export async function answerRequest(world: World, request: HttpRequest, tell: Tell): Promise<HttpReply> {
  const { pathname, searchParams: query } = new URL(request.url, 'http://fake')
  const [, root = '', ...rest] = pathname.split('/')
  const asked: Asked = { world, method: request.method, query, tell, ...(await readBody(request)) }
  if (root === 'channels') return onChannel(asked, rest)
  if (root === 'webhooks' || root === 'interactions') return onInteraction(asked, pathname)
  if (root === 'guilds') return reply(200, { user: { id: rest[2] }, nick: null, roles: ['750'] })
  if (pathname === `/applications/${application}/commands`) return onCommands(asked)
  return refuse(404, 0, '404: Not Found')
}

function onChannel(asked: Asked, [id = '', what = '', ...rest]: readonly string[]): HttpReply {
  const { world } = asked
  const channel = world.channels.get(id)
  if (!channel) return refuse(404, 10_003, 'Unknown Channel')
  if (what === '') return reply(200, channel)
  if (what === 'threads') return beginPost(asked, channel)
  if (what === 'messages') return onMessages(asked, channel, rest)
  if (what !== 'typing') return refuse(404, 0, '404: Not Found')
  world.typings.push(id)
  return reply(204)
}

function onMessages(asked: Asked, channel: FakeChannel, [id, part, mark = '']: readonly string[]): HttpReply {
  const { world, method } = asked
  if (id === undefined) return method === 'GET' ? readMessages(asked, channel.id) : post(asked, channel)
  const message = world.find(channel.id, id)
  if (!message) return refuse(404, 10_008, 'Unknown Message')
  if (part === 'threads') return beginThread(asked, channel, id)
  if (part === 'reactions') return react(method, message, decodeURIComponent(mark))
  if (method === 'GET') return reply(200, message.data)
  if (message.author !== bot.id) return refuse(403, 50_005, 'Cannot edit a message authored by another user')
  return change(message, asked.payload)
}

/** The messages after one, the newest first; what is read so does not name the server. */
function readMessages({ world, query }: Asked, channel: string): HttpReply {
  const after = BigInt(query.get('after') ?? '0')
  const found = world.messages.filter((one) => one.channel === channel && BigInt(one.id) > after)
  const page = found.slice(0, Number(query.get('limit') ?? '50')).map(({ data: { guild_id: _guild, member: _member, ...data } }) => data)
  return reply(200, page.reverse())
}

function post({ world, payload, files, tell }: Asked, { id: channel, type, guild_id }: FakeChannel): HttpReply {
  if (type === 15) return refuse(400, 50_008, 'Cannot send messages in a non-text channel')
  const problem = checkPayload(payload, files)
  if (problem) return problem
  const kept = payload.enforce_nonce && world.messages.find((one) => one.nonce === payload.nonce && one.channel === channel)
  if (kept) return reply(200, kept.data)
  const message = world.store(channel, bot, payload, files)
  tell('MESSAGE_CREATE', { ...message.data, ...(guild_id ? { guild_id } : {}) })
  return reply(200, message.data)
}

function createThread({ world, payload, tell }: Asked, parent: FakeChannel, id: string): FakeChannel {
  const thread = { id, type: 11, name: String(payload.name), parent_id: parent.id, guild_id: guild }
  world.channels.set(id, thread)
  tell('THREAD_CREATE', thread)
  return thread
}

function checkTitle(name: unknown): HttpReply | undefined {
  return typeof name === 'string' && name !== '' && name.length <= 100 ? undefined : refuseForm('name must be between 1 and 100 in length')
}

function beginThread(asked: Asked, parent: FakeChannel, start: string): HttpReply {
  if (asked.world.channels.has(start)) return refuse(400, 160_004, 'A thread has already been created for this message')
  return checkTitle(asked.payload.name) ?? reply(201, createThread(asked, parent, start))
}

function beginPost(asked: Asked, parent: FakeChannel): HttpReply {
  const first = asked.payload.message as Payload | undefined
  if (parent.type !== 15 || !first) return refuseForm('message is required')
  const problem = checkTitle(asked.payload.name) ?? checkPayload(first, asked.files)
  if (problem) return problem
  const tags = (asked.payload.applied_tags ?? []) as readonly string[]
  if (((parent.flags ?? 0) & 16) > 0 && tags.length === 0)
    return refuse(400, 40_067, 'A tag is required to create a forum post in this channel')
  if (tags.some((tag) => !parent.available_tags?.some(({ id }) => id === tag))) return refuseForm('applied_tags')
  const message = asked.world.store('', bot, first, asked.files)
  message.channel = message.id
  message.data = { ...message.data, channel_id: message.id }
  return reply(201, { ...createThread(asked, parent, message.id), message: message.data })
}

function change(message: StoredMessage, payload: Payload): HttpReply {
  const { content = message.content, components = message.components } = payload
  const problem = checkPayload({ content, components }, [])
  if (problem) return problem
  Object.assign(message, { content, components })
  return reply(200, { ...message.data, content, components })
}

function react(method: string, { reactions }: StoredMessage, mark: string): HttpReply {
  if (method === 'PUT') reactions.set(mark, new Set([...(reactions.get(mark) ?? []), bot.id]))
  else if (!reactions.delete(mark)) return refuse(404, 10_014, 'Unknown Emoji')
  return reply(204)
}

function onInteraction({ world, method, payload }: Asked, path: string): HttpReply {
  world.answers.push({ path: `${method} ${path}`, body: payload })
  const last = world.messages.findLast(({ author }) => author === bot.id)
  if (method === 'PATCH' && last) return change(last, payload)
  return path.endsWith('/callback') ? reply(204) : reply(200, { id: world.nextId() })
}

function onCommands({ world, method, payload }: Asked): HttpReply {
  if (method !== 'PUT') return reply(200, world.entryPoint ? [...world.commands, world.entryPoint] : world.commands)
  const list = Array.isArray(payload) ? (payload as { name: string; description?: string }[]) : []
  const fits = ({ name, description = '' }: { name: string; description?: string }): boolean =>
    /^[-_a-z0-9]{1,32}$/.test(name) && description !== '' && description.length <= 100
  if (list.length > 100 || !list.every(fits)) return refuseForm('commands')
  if (world.entryPoint && !list.some(({ name }) => name === world.entryPoint?.name)) {
    return refuse(400, 50_240, "You cannot remove this app's Entry Point command in a bulk update operation")
  }
  world.commands = list
  return reply(200, list)
}

async function readBody({ headers, body }: HttpRequest): Promise<Pick<Asked, 'payload' | 'files'>> {
  const type = headers['content-type'] ?? ''
  if (!type.startsWith('multipart/form-data')) {
    return { payload: body.length === 0 ? {} : (JSON.parse(Buffer.from(body).toString()) as Payload), files: [] }
  }
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData()
  const files: FakeFile[] = []
  for (const [name, value] of form) {
    if (typeof value === 'string') continue
    files.push({ id: /\d+/.exec(name)?.[0] ?? '', name: value.name, mime: value.type, bytes: new Uint8Array(await value.arrayBuffer()) })
  }
  return { payload: JSON.parse(String(form.get('payload_json') ?? '{}')) as Payload, files }
}

function checkPayload({ content = '', nonce = '', components = [] }: Payload, files: readonly FakeFile[]): HttpReply | undefined {
  if (content === '' && files.length === 0) return refuse(400, 50_006, 'Cannot send an empty message')
  if ([...content].length > 2000) return refuseForm('content must be 2000 or fewer in length')
  if (nonce.length > 25) return refuseForm('nonce must be 25 or fewer in length')
  if (components.length > 5 || components.some((row) => row.components.length > 5)) return refuseForm('components')
  if (files.some(({ bytes }) => bytes.length > 10_485_760)) return refuse(413, 40_005, 'Request entity too large')
  return undefined
}
