import type { HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { type FakeServer, openFakeServer } from '@agent/plugin-sdk/testing'
import { ann, bot, type Chat, direct, type Given, type KeptMessage, rightToken, room, type World } from './bot-chats.ts'
import { type BotLimits, createBotLimits } from './bot-limits.ts'
import { methods } from './bot-methods.ts'
import { Refusal } from './refusal.ts'
import { createQueue, type Queue } from './update-queue.ts'

/** A Bot API server in small, which refuses what the real one refuses. */
export interface TelegramServer {
  readonly url: string
  readonly server: FakeServer
  readonly messages: readonly KeptMessage[]
  readonly queue: Queue
  /** Names of the commands in the menu. */
  readonly menu: readonly { readonly command: string; readonly description: string }[]
  readonly typings: readonly Given[]
  readonly notices: readonly Given[]
  readonly chats: readonly Chat[]
  readonly webhook: { url: string; secret: string }
  /** What `getFile` says of a file that does not lie where others do. */
  readonly paths: Map<string, string | undefined>
  /** The methods that were called, in order. */
  calls(): readonly string[]
  /** Somebody says something; `more` are fields of the message. Gives its number. */
  say(text: string, more?: Given & { readonly chat?: Chat }): number
  /** Somebody sends a file. */
  sendFile(field: string, file: { readonly name: string; readonly mime: string; readonly bytes: Uint8Array }): void
  /** Somebody presses a button below the newest message of the bot. */
  press(label: string): void
  /** Refuses the next call of a method. */
  refuseNext(method: string, code: number, description: string, retryAfter?: number): void
  [Symbol.asyncDispose](): Promise<void>
}

const silence = '42:silence'
const never = new Promise<never>(() => undefined)

/** `known`: the token that it takes. */
export async function openTelegramServer(
  chats: readonly Chat[] = [direct, room],
  limits = createBotLimits(),
  known: string = rightToken,
): Promise<TelegramServer> {
  const world: World = {
    messages: [],
    chats,
    queue: createQueue(),
    typings: [],
    notices: [],
    queries: new Set(),
    files: new Map(),
    paths: new Map(),
    webhook: { url: '', secret: '' },
    menu: [],
    nextId: 100,
  }
  const refusals = new Map<string, Refusal[]>()
  const server = await openFakeServer((request) => answer(world, limits, refusals, request, known))
  return {
    ...world,
    url: server.url,
    server,
    get menu() {
      return world.menu
    },
    calls: () => server.journal.map(({ url }) => url.split('/').at(-1) ?? ''),
    say: (text, { chat = direct, ...more } = {}) => say(world, chat, { text, ...more }),
    sendFile: (field, { name, mime, bytes }) => {
      const id = `file-${world.files.size}`
      world.files.set(id, bytes)
      const file = { file_id: id, file_size: bytes.length }
      say(world, direct, field === 'photo' ? { photo: [file] } : { [field]: { ...file, file_name: name, mime_type: mime } })
    },
    press: (label) => press(world, label),
    refuseNext: (method, code, description, retryAfter) => {
      refusals.set(method, [...(refusals.get(method) ?? []), new Refusal(code, description, retryAfter)])
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const describeChat = ({ id, type, title }: Chat): Given => ({ id, type, ...(type === 'private' ? { first_name: title } : { title }) })

function say(world: World, chat: Chat, more: Given): number {
  const id = world.nextId
  world.nextId += 1
  const message = { message_id: id, date: Math.floor(Date.now() / 1000), chat: describeChat(chat), from: ann, ...more }
  world.messages.push({
    ...{ id, chat: chat.id, topic: undefined, fromBot: false, text: String(more.text ?? ''), entities: [], keyboard: [] },
    ...{ silent: false, replyTo: undefined, reactions: [] },
  })
  world.queue.push({ message })
  return id
}

function press(world: World, label: string): void {
  const message = world.messages.findLast(({ fromBot }) => fromBot)
  const key = message?.keyboard.find(({ text }) => text === label)
  const chat = world.chats.find(({ id }) => id === message?.chat)
  if (!message || !key || !chat) throw new Error(`there is no button ${label}`)
  const id = `query-${world.queries.size}`
  world.queries.add(id)
  const shown = { message_id: message.id, date: 1_700_000_000, chat: describeChat(chat), from: bot, text: message.text }
  world.queue.push({ callback_query: { id, from: ann, message: shown, data: key.callback_data, chat_instance: '1' } })
}

async function answer(
  world: World,
  limits: BotLimits,
  refusals: Map<string, Refusal[]>,
  request: HttpRequest,
  known: string,
): Promise<HttpReply> {
  const [, folder = '', token = '', method = ''] = /^(\/file)?\/bot([^/]+)\/(.+)$/.exec(request.url) ?? []
  if (token === silence) return never
  try {
    if (!/^\d+:[\w-]+$/.test(token)) throw new Refusal(404, 'Not Found')
    if (token !== known) throw new Refusal(401, 'Unauthorized')
    if (folder !== '') return download(world, method)
    const refusal = refusals.get(method)?.shift()
    if (refusal) throw refusal
    const act = methods[method]
    if (!act) throw new Refusal(404, 'Not Found: method not found')
    const given = await readGiven(request)
    limits(method, given)
    return reply(200, { ok: true, result: await act(world, given) })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const parameters = error.retryAfter === undefined ? {} : { parameters: { retry_after: error.retryAfter } }
    return reply(error.code, { ok: false, error_code: error.code, description: error.message, ...parameters })
  }
}

const reply = (status: number, body: unknown): HttpReply => ({
  status,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(body),
})

function download({ files }: World, path: string): HttpReply {
  const bytes = files.get(path.replace('documents/', ''))
  return bytes ? { status: 200, body: bytes } : { status: 404 }
}

/** The parameters of a call, from JSON or from a form; a file is told as File. */
async function readGiven({ headers, body }: HttpRequest): Promise<Given> {
  const type = headers['content-type'] ?? ''
  if (!type.startsWith('multipart/')) return JSON.parse(Buffer.from(body).toString() || '{}') as Given
  const form = await new Response(new Uint8Array(body), { headers: { 'Content-Type': type } }).formData()
  const read = (value: unknown): unknown => (typeof value === 'string' && /^(\{|\d+$|true$|false$)/.test(value) ? JSON.parse(value) : value)
  return Object.fromEntries([...form].map(([name, value]) => [name, read(value)]))
}
