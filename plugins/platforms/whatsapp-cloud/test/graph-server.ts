import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRateLimiter, type RateLimiter } from '../../../../test/support/servers/rate-limiter.ts'
import { findProblem, type MessageBody } from './check-message.ts'

/** What goes wrong with the next message. */
export type Fault =
  /** It is taken, and the connection breaks before the answer. */
  | { readonly type: 'lose-answer' }
  | { readonly type: 'error'; readonly status: number; readonly code: number; readonly message?: string }
  | { readonly type: 'status'; readonly status: number; readonly body?: string }

export interface KeptFile {
  readonly bytes: Uint8Array
  readonly mime: string
  readonly name: string
  /** Where it is said to lie when that is not here. */
  readonly elsewhere?: string
}

/** The Graph API of one phone number in small, and Meta's calls with their signature. */
export interface GraphServer extends AsyncDisposable {
  readonly url: string
  /** Every request, as method and path. */
  readonly requests: readonly string[]
  /** Messages that were taken, in order, with their ids. */
  readonly messages: readonly (MessageBody & { readonly id: string })[]
  /** Files by their ids. */
  readonly files: ReadonlyMap<string, KeptFile>
  /** Marks of the agent by message. */
  readonly marks: ReadonlyMap<string, string>
  /** Ids of messages that were marked as read with typing shown. */
  readonly typings: readonly string[]
  breakNext(...faults: readonly Fault[]): void
  /** No token is valid from now on. */
  expireToken(): void
  /** Breaks every connection. */
  cut(): void
  /** Answers nothing from now on, until it is calm. */
  fallSilent(): void
  /** Nothing goes wrong from now on. */
  calm(): void
  keepFile(file: KeptFile): string
  /** Where Meta calls, and what it has to say of every message that it takes. */
  listenAt(agentUrl: string): void
  /** Calls the agent, again and again while it is told to; gives the statuses of the answers. */
  call(value: Readonly<Record<string, unknown>>, more?: CallOptions): Promise<readonly number[]>
}

export interface CallOptions {
  readonly secret?: string
  readonly wabaId?: string
  readonly phoneNumberId?: string
  readonly field?: string
}

export interface GraphOptions {
  readonly phoneNumberId: string
  readonly accessToken: string
  readonly appSecret: string
  readonly wabaId: string
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

interface World extends GraphOptions {
  readonly messages: (MessageBody & { readonly id: string })[]
  readonly files: Map<string, KeptFile>
  readonly marks: Map<string, string>
  readonly typings: string[]
  readonly faults: Fault[]
  readonly take: RateLimiter
  isExpired: boolean
  isSilent: boolean
  url: string
  agentUrl: string
  count: number
}

export async function openGraphServer(options: GraphOptions): Promise<GraphServer> {
  const world: World = {
    ...options,
    ...{ messages: [], files: new Map(), marks: new Map(), typings: [], faults: [], take: createRateLimiter(options.now) },
    ...{ isExpired: false, isSilent: false, url: '', agentUrl: '', count: 0 },
  }
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.on('error', () => response.destroy())
    void answer(world, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  world.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: world.url,
    requests,
    messages: world.messages,
    files: world.files,
    marks: world.marks,
    typings: world.typings,
    breakNext: (...faults) => void world.faults.push(...faults),
    expireToken: () => {
      world.isExpired = true
    },
    cut: () => server.closeAllConnections(),
    fallSilent: () => {
      world.isSilent = true
    },
    calm: () => {
      world.isSilent = false
      world.faults.length = 0
    },
    keepFile: (file) => keepFile(world, file),
    listenAt: (agentUrl) => {
      world.agentUrl = agentUrl
    },
    call: (value, more) => callAgent(world, value, more),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Written from Meta's description, not from the adapter. */
async function callAgent(world: World, value: Readonly<Record<string, unknown>>, more: CallOptions = {}): Promise<readonly number[]> {
  const { secret = world.appSecret, wabaId = world.wabaId, phoneNumberId = world.phoneNumberId, field = 'messages' } = more
  const metadata = { display_phone_number: '15550001111', phone_number_id: phoneNumberId }
  const entry = [{ id: wabaId, changes: [{ field, value: { messaging_product: 'whatsapp', metadata, ...value } }] }]
  const body = JSON.stringify({ object: 'whatsapp_business_account', entry })
  const signature = `sha256=${createHmac('sha256', secret).update(body, 'utf8').digest('hex')}`
  const statuses: number[] = []
  for (let tries = 0; tries < 3 && (statuses.at(-1) ?? 503) === 503; tries += 1) {
    const headers = { 'Content-Type': 'application/json', 'X-Hub-Signature-256': signature }
    const response = await fetch(world.agentUrl, { method: 'POST', headers, body })
    await response.arrayBuffer()
    statuses.push(response.status)
  }
  return statuses
}

function keepFile(world: World, file: KeptFile): string {
  const id = String(700_000_000_000_000 + world.files.size)
  world.files.set(id, file)
  return id
}

function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  const error = { message: `(#${code}) ${message}`, type: 'OAuthException', code, fbtrace_id: 'AbCdEf' }
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify({ error }))
}

const reply = (response: ServerResponse, body: unknown): void =>
  void response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))

async function answer(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  if (world.isSilent) return
  if (world.isExpired || request.headers.authorization !== `Bearer ${world.accessToken}`) {
    return refuse(response, 401, 190, 'Error validating access token: Session has expired')
  }
  const { pathname } = new URL(request.url ?? '/', world.url)
  const [, version = '', id = '', edge] = pathname.split('/')
  if (version === 'lookaside') return sendFile(world, id, response)
  if (!/^v\d+\.\d+$/.test(version)) return refuse(response, 400, 2500, 'Unknown path components')
  if (request.method === 'GET' && edge === undefined) return describeNode(world, id, response)
  if (id !== world.phoneNumberId) return refuse(response, 400, 100, 'Unsupported post request. Object does not exist')
  if (request.method === 'POST' && edge === 'media') return await takeUpload(world, request, body, response)
  if (request.method === 'POST' && edge === 'messages') return takeMessage(world, body, response)
  refuse(response, 400, 2500, 'Unknown path components')
}

function describeNode(world: World, id: string, response: ServerResponse): void {
  const file = world.files.get(id)
  if (id === world.phoneNumberId) return void reply(response, { id, verified_name: 'Agent', display_phone_number: '+1 555-000-1111' })
  if (!file) return void refuse(response, 400, 100, 'Unsupported get request. Object does not exist')
  reply(response, {
    id,
    url: file.elsewhere ?? `${world.url}/lookaside/${id}`,
    mime_type: file.mime,
    file_size: file.bytes.length,
    messaging_product: 'whatsapp',
  })
}

function sendFile(world: World, id: string, response: ServerResponse): void {
  const file = world.files.get(id)
  if (file) response.writeHead(200, { 'Content-Type': file.mime }).end(file.bytes)
  else response.writeHead(404).end()
}

async function takeUpload(world: World, request: IncomingMessage, body: Buffer, response: ServerResponse): Promise<void> {
  const fault = world.faults[0]?.type === 'status' ? world.faults.shift() : undefined
  if (fault?.type === 'status') return void response.writeHead(fault.status).end(fault.body)
  const form = await new Response(new Uint8Array(body), { headers: { 'Content-Type': request.headers['content-type'] ?? '' } }).formData()
  const file = form.get('file')
  if (form.get('messaging_product') !== 'whatsapp' || !(file instanceof Blob)) return refuse(response, 400, 100, 'Invalid parameter')
  const bytes = new Uint8Array(await file.arrayBuffer())
  reply(response, { id: keepFile(world, { bytes, mime: String(form.get('type')), name: (file as File).name }) })
}

/**
 * A number may send 80 messages a second, and to one person one in six seconds, of which 45 may come at once. Typing and marks as read are no
 * messages. https://developers.facebook.com/documentation/business-messaging/whatsapp/throughput
 */
function findLimit({ take }: World, { status, to }: MessageBody): { readonly code: number; readonly message: string } | undefined {
  if (status === 'read') return undefined
  if (take({ name: 'number', burst: 80, everyMs: 1000 / 80 }) > 0) return { code: 130_429, message: 'Rate limit hit' }
  if (take({ name: `to ${to}`, burst: 45, everyMs: 6000 }) > 0) return { code: 131_056, message: 'Pair rate limit hit' }
  return undefined
}

function takeMessage(world: World, body: Buffer, response: ServerResponse): void {
  const fault = world.faults.shift()
  if (fault?.type === 'status') return void response.writeHead(fault.status).end(fault.body)
  if (fault?.type === 'error') return void refuse(response, fault.status, fault.code, fault.message ?? 'Something is wrong')
  const message = JSON.parse(body.toString()) as MessageBody
  const problem = findProblem(message, world.files) ?? findLimit(world, message)
  if (problem) return void refuse(response, 400, problem.code, problem.message)
  if (message.status === 'read') {
    if (message.typing_indicator) world.typings.push(message.message_id ?? '')
    return void reply(response, { success: true })
  }
  world.count += 1
  const id = `wamid.out${world.count}`
  if (message.reaction) world.marks.set(message.reaction.message_id, message.reaction.emoji)
  else world.messages.push({ ...message, id })
  if (fault) response.destroy()
  else reply(response, { messaging_product: 'whatsapp', contacts: [{ input: message.to, wa_id: message.to }], messages: [{ id }] })
  const { to, biz_opaque_callback_data } = message
  const status = { id, status: 'sent', timestamp: '1700000000', recipient_id: to, biz_opaque_callback_data }
  if (world.agentUrl !== '') void callAgent(world, { statuses: [status] }).catch(() => undefined)
}
