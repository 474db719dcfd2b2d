import type { HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { type FakeServer, openFakeServer } from '@agent/plugin-sdk/testing'
import { openEventStreams } from './event-streams.ts'

export const own = { number: '+43111111111', uuid: '00000000-0000-4000-8000-000000000001' } as const
export const ann = { number: '+43222222222', uuid: 'aaaaaaaa-0000-4000-8000-000000000002', name: 'Ann' } as const
export const room = { id: 'Z2FyZGVuLWdyb3VwLW9mLXRoZS10ZXN0cy0wMDAwMDA=', name: 'Garden' } as const

type Given = Readonly<Record<string, unknown>>

/** What the people have got of the bot. */
export interface SentMessage {
  readonly to: string
  readonly text: string
  readonly styles: readonly string[]
  readonly quote: Given | undefined
  readonly files: readonly { readonly name: string; readonly mime: string; readonly bytes: Uint8Array }[]
  readonly voiceNote: boolean
  readonly timestamp: number
}

/** A signal-cli daemon in small, which refuses what the real one refuses. */
export interface SignalDaemon {
  readonly url: string
  readonly server: FakeServer
  readonly sent: readonly SentMessage[]
  readonly typings: readonly Given[]
  /** Reactions of the bot by author and time of the message. */
  readonly reactions: ReadonlyMap<string, string>
  /** How many listen to the events. */
  listeners(): number
  /** An event as it is written. */
  raw(text: string): void
  /** Somebody does something; gives its timestamp. */
  happen(envelope: Given, account?: string): void
  /** Somebody says something; `more` are fields of the message, `from` of who it is. Gives its timestamp. */
  say(text: string, more?: Given, from?: Given): number
  /** Offers the newest event again. */
  repeat(): void
  /** Another device of the bot's account wrote this to itself. */
  note(text: string, timestamp?: number): void
  sendFile(file: { readonly name: string; readonly mime: string; readonly bytes: Uint8Array }): void
  keepAlive(): void
  /** Takes no notice of anything from now on, except that it says that it is well. */
  deafen(): void
  calm(): void
  hangUp(): void
  /** Refuses the next call of a method. */
  refuseNext(method: string, code: number, message: string, results?: readonly Given[]): void
  [Symbol.asyncDispose](): Promise<void>
}

export interface SignalDaemonOptions {
  /** The REST wrapper, or a server that is something else. */
  readonly instead?: 'wrapper' | 'stranger'
  /** A new one that gives events an id and keeps them. */
  readonly keepsEvents?: boolean
  /** Ids of more people. */
  readonly people?: readonly string[]
  /** An old one that knows no styles. */
  readonly withoutStyles?: boolean
  /** What happens between a message and its receipt. */
  readonly onSend?: (message: SentMessage) => void
}

class Refusal extends Error {
  readonly code: number
  readonly results: readonly Given[]

  constructor(code: number, message: string, results: readonly Given[] = []) {
    super(message)
    this.code = code
    this.results = results
  }
}

interface World {
  readonly options: SignalDaemonOptions
  readonly sent: SentMessage[]
  readonly typings: Given[]
  readonly reactions: Map<string, string>
  readonly files: Map<string, Uint8Array>
  readonly refusals: Map<string, Refusal[]>
  nextTimestamp: number
}

const never = new Promise<never>(() => undefined)

export async function openSignalDaemon(options: SignalDaemonOptions = {}): Promise<SignalDaemon> {
  const world: World = {
    options,
    sent: [],
    typings: [],
    reactions: new Map(),
    files: new Map(),
    refusals: new Map(),
    nextTimestamp: 1_700_000_000_000,
  }
  const streams = openEventStreams()
  const kept: string[] = []
  const openStream = (lastId: string | undefined): HttpReply =>
    streams.open(lastId === undefined ? [] : kept.slice(Number(lastId.replace('run-', ''))))
  const server = await openFakeServer((request) => answer(world, openStream, request))
  let newest = ''
  const tell = (data: string): void => {
    newest = data
    const id = options.keepsEvents ? `id:run-${kept.length + 1}\n` : ''
    const event = `${id}event:receive\ndata:${data}\n\n`
    if (options.keepsEvents) kept.push(event)
    streams.write(event)
  }
  const happen: SignalDaemon['happen'] = (envelope, account = own.number) => tell(JSON.stringify({ envelope, account }))
  const fromAnn = {
    serverReceivedTimestamp: 1_700_000_000_000,
    source: ann.number,
    sourceNumber: ann.number,
    sourceUuid: ann.uuid,
    sourceName: ann.name,
    sourceDevice: 1,
  }
  const say: SignalDaemon['say'] = (text, more = {}, from = {}) => {
    const timestamp = nextTimestamp(world)
    happen({ ...fromAnn, ...from, timestamp, dataMessage: { timestamp, message: text, expiresInSeconds: 0, viewOnce: false, ...more } })
    return timestamp
  }
  return {
    ...world,
    url: server.url,
    server,
    listeners: streams.count,
    raw: streams.write,
    happen,
    repeat: () => tell(newest),
    say,
    note: (text, timestamp = nextTimestamp(world)) => {
      const sentMessage = { destinationNumber: own.number, destinationUuid: own.uuid, timestamp, message: text }
      happen({ sourceNumber: own.number, sourceUuid: own.uuid, sourceDevice: 2, timestamp, syncMessage: { sentMessage } })
    },
    sendFile: ({ name, mime, bytes }) => {
      const id = `attachment-${world.files.size}.bin`
      world.files.set(id, bytes)
      say('', { message: null, attachments: [{ id, contentType: mime, filename: name, size: bytes.length }] })
    },
    keepAlive: () => streams.write(':\n'),
    deafen: streams.deafen,
    calm: streams.calm,
    hangUp: streams.end,
    refuseNext: (method, code, message, results) => {
      world.refusals.set(method, [...(world.refusals.get(method) ?? []), new Refusal(code, message, results)])
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function nextTimestamp(world: World): number {
  world.nextTimestamp += 1000
  return world.nextTimestamp
}

const json = (body: unknown): HttpReply => ({ status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })

function answer(world: World, openStream: (lastId: string | undefined) => HttpReply, request: HttpRequest): HttpReply | Promise<HttpReply> {
  const { pathname, searchParams } = new URL(request.url, 'http://signal')
  const { instead } = world.options
  if (instead === 'wrapper' && pathname === '/v1/about')
    return json({ versions: ['v1', 'v2'], build: 2, mode: 'json-rpc', version: '0.99' })
  if (instead) return { status: 404, body: '404 page not found' }
  if (pathname === '/api/v1/check') return { status: 200 }
  if (pathname === '/api/v1/events')
    return searchParams.get('account') === own.number ? openStream(request.headers['last-event-id']) : { status: 400 }
  if (pathname !== '/api/v1/rpc') return { status: 404 }
  const { id, method, params } = JSON.parse(Buffer.from(request.body).toString()) as { id: string; method: string; params: Given }
  if (params.account === '+43000000000') return never
  try {
    return json({ jsonrpc: '2.0', id, result: run(world, method, params) })
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const data = { response: { results: error.results } }
    return json({ jsonrpc: '2.0', id, error: { code: error.code, message: error.message, data } })
  }
}

function run(world: World, method: string, params: Given): unknown {
  const refusal = world.refusals.get(method)?.shift()
  if (refusal) throw refusal
  if (params.account !== own.number) throw new Refusal(-32_602, 'Specified account does not exist')
  const act = methods[method]
  // In the words of signal-cli, for a method that it does not have.
  if (!act) throw new Refusal(-32_601, 'Method not implemented')
  return act(world, params)
}

/** To whom a call speaks, in one word. */
function readTarget({ options }: World, { recipient, groupId }: Given): string {
  const [person] = (recipient ?? []) as string[]
  if (groupId === room.id) return room.id
  if (groupId !== undefined) throw new Refusal(-1, 'Invalid group id')
  if (person === undefined) throw new Refusal(-1, 'No recipients given')
  const known: readonly string[] = [ann.number, ann.uuid, own.number, own.uuid, ...(options.people ?? [])]
  if (!known.includes(person)) throw new Refusal(-1, `Unregistered user "${person}"`, [{ type: 'UNREGISTERED_FAILURE' }])
  return person === ann.number ? ann.uuid : person
}

function readFile(uri: string): SentMessage['files'][number] {
  const [, mime = '', name = '', data = ''] = /^data:([^;]+);filename=([^;,]+);base64,(.*)$/.exec(uri) ?? []
  if (mime === '') throw new Refusal(-1, `Attachment is invalid: ${uri.slice(0, 40)}`)
  return { mime, name, bytes: new Uint8Array(Buffer.from(data, 'base64')) }
}

function checkStyle(style: string, text: string): void {
  const [, start = '', length = '', name = ''] = /^(\d+):(\d+):(.+)$/.exec(style) ?? []
  if (!['BOLD', 'ITALIC', 'SPOILER', 'STRIKETHROUGH', 'MONOSPACE'].includes(name)) throw new Refusal(-1, `Invalid style: ${style}`)
  if (Number(length) < 1 || Number(start) + Number(length) > text.length) throw new Refusal(-1, `Invalid textStyle range: ${style}`)
}

function send(world: World, params: Given): unknown {
  const to = readTarget(world, params)
  const text = String(params.message ?? '')
  const styles = (params.textStyles ?? []) as string[]
  if (styles.length > 0 && world.options.withoutStyles) throw new Refusal(-32_602, 'Unrecognized field "textStyles"')
  for (const style of styles) checkStyle(style, text)
  const files = ((params.attachments ?? []) as string[]).map(readFile)
  if (text === '' && files.length === 0) throw new Refusal(-1, 'Sending empty message is not allowed')
  if (params.quoteTimestamp !== undefined && !params.quoteAuthor) throw new Refusal(-1, 'Invalid quote author')
  const { quoteTimestamp, quoteAuthor, quoteMessage } = params
  const quote = quoteTimestamp === undefined ? undefined : { quoteTimestamp, quoteAuthor, quoteMessage }
  const timestamp = nextTimestamp(world)
  const message = { to, text, styles, quote, files, voiceNote: params.voiceNote === true, timestamp }
  world.sent.push(message)
  world.options.onSend?.(message)
  return { timestamp, results: [{ recipientAddress: { uuid: to }, type: 'SUCCESS' }] }
}

const methods: Readonly<Record<string, (world: World, params: Given) => unknown>> = {
  getUserStatus: () => [{ recipient: own.number, number: own.number, uuid: own.uuid, isRegistered: true }],
  send,
  sendTyping: (world, params) => {
    const { stop } = params
    if (stop !== undefined && typeof stop !== 'boolean') throw new Refusal(-32602, 'stop is neither true nor false')
    world.typings.push({ to: readTarget(world, params), ...(stop && { stop }) })
    return { timestamp: nextTimestamp(world), results: [] }
  },
  sendReaction: (world, params) => {
    readTarget(world, params)
    if (!params.emoji || !params.targetAuthor) throw new Refusal(-1, 'an emoji and an author are needed')
    world.reactions.set(`${String(params.targetAuthor)}:${String(params.targetTimestamp)}`, String(params.emoji))
    return { timestamp: nextTimestamp(world), results: [] }
  },
  getAttachment: ({ files }, { id }) => {
    const bytes = files.get(String(id))
    if (!bytes) throw new Refusal(-2, `Could not find attachment with ID: ${String(id)}`)
    return { data: Buffer.from(bytes).toString('base64') }
  },
  listGroups: () => [
    { id: room.id, name: room.name, isMember: true },
    { id: 'bGVmdC1ncm91cC1vZi10aGUtdGVzdHMtMDAwMDAwMDA=', name: 'Left', isMember: false },
  ],
  listContacts: () => [
    { number: ann.number, uuid: ann.uuid, name: ann.name },
    { number: null, uuid: null, name: '' },
  ],
}
