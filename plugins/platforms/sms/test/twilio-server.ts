import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface TextMessage {
  readonly to: string
  readonly from: string
  readonly body: string
  readonly sid: string
  readonly date_created: string
}

/** What goes wrong with the next request. */
export type Fault =
  /** It is taken, and the connection breaks before the answer. */
  | { readonly type: 'lose-answer' }
  | { readonly type: 'status'; readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }

/** Twilio in small: it sends for clients with the right token, keeps files, and calls with a signature. */
export interface TwilioServer extends AsyncDisposable {
  readonly url: string
  readonly messages: readonly TextMessage[]
  /** Every request, as method and path. */
  readonly requests: readonly string[]
  /** How the account is doing. */
  setStatus(status: string): void
  breakNext(...faults: readonly Fault[]): void
  /** Breaks every connection. */
  cut(): void
  /** Answers nothing from now on, until it is calm. */
  fallSilent(): void
  /** Nothing goes wrong from now on. */
  calm(): void
  /** Keeps a file and gives its address. */
  keepFile(bytes: Uint8Array, mime: string): string
  /** Calls the agent with what a person wrote, and gives the status of its answer. */
  call(
    agentUrl: string,
    form: Readonly<Record<string, string>>,
    more?: { readonly signedUrl?: string; readonly token?: string },
  ): Promise<Answer>
}

export interface Answer {
  readonly status: number
  readonly text: string
}

export interface TwilioOptions {
  readonly accountSid: string
  readonly authToken: string
  /** The address that the number is set to call. */
  readonly webhookUrl: string
  /** The time by which it dates messages. */
  readonly now?: () => Date
}

interface World extends TwilioOptions {
  readonly messages: TextMessage[]
  readonly faults: Fault[]
  readonly files: Map<string, { readonly bytes: Uint8Array; readonly mime: string }>
  status: string
  isSilent: boolean
}

export async function openTwilioServer(options: TwilioOptions): Promise<TwilioServer> {
  const world: World = { ...options, messages: [], faults: [], files: new Map(), status: 'active', isSilent: false }
  const requests: string[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    response.on('error', () => response.destroy())
    void answer(world, request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    messages: world.messages,
    requests,
    setStatus: (status) => {
      world.status = status
    },
    breakNext: (...faults) => void world.faults.push(...faults),
    cut: () => server.closeAllConnections(),
    fallSilent: () => {
      world.isSilent = true
    },
    calm: () => {
      world.isSilent = false
      world.faults.length = 0
    },
    keepFile: (bytes, mime) => {
      const path = `/2010-04-01/Accounts/${options.accountSid}/Messages/${numberSid('MM', 0)}/Media/${numberSid('ME', world.files.size)}`
      world.files.set(path, { bytes, mime })
      return `https://api.twilio.com${path}`
    },
    call: (agentUrl, form, { signedUrl = options.webhookUrl, token = options.authToken } = {}) =>
      callAgent(agentUrl, form, signedUrl, token),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const numberSid = (kind: string, number: number): string => `${kind}${number.toString(16).padStart(32, '0')}`

/** Written from Twilio's description, not from the adapter. */
async function callAgent(agentUrl: string, form: Readonly<Record<string, string>>, signedUrl: string, token: string): Promise<Answer> {
  let signed = signedUrl
  for (const name of Object.keys(form).sort()) signed += name + form[name]
  const signature = createHmac('sha1', token).update(signed, 'utf8').digest('base64')
  const response = await fetch(agentUrl, {
    method: 'POST',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded; charset=UTF-8', 'X-Twilio-Signature': signature },
    body: new URLSearchParams(form).toString(),
  })
  return { status: response.status, text: await response.text() }
}

function refuse(response: ServerResponse, status: number, code: number, message: string): void {
  const body = { code, message, more_info: `https://www.twilio.com/docs/errors/${code}`, status }
  response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

async function answer(world: World, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request as AsyncIterable<Uint8Array>) chunks.push(chunk)
  if (world.isSilent) return
  const right = `Basic ${Buffer.from(`${world.accountSid}:${world.authToken}`).toString('base64')}`
  const fault = world.faults.shift()
  if (fault?.type === 'status') return void response.writeHead(fault.status, fault.headers).end(fault.body)
  if (request.headers.authorization !== right) return refuse(response, 401, 20003, 'Authenticate')
  const account = `/2010-04-01/Accounts/${world.accountSid}`
  const file = world.files.get(request.url ?? '')
  if (file) return void response.writeHead(200, { 'Content-Type': file.mime }).end(file.bytes)
  if (request.method === 'GET' && request.url === `${account}.json`) {
    return void response.writeHead(200).end(JSON.stringify({ sid: world.accountSid, status: world.status }))
  }
  if (request.method === 'GET' && request.url?.startsWith(`${account}/Messages.json?`)) return listMessages(world, request.url, response)
  if (request.method !== 'POST' || request.url !== `${account}/Messages.json`) return refuse(response, 404, 20404, 'Not found')
  send(world, new URLSearchParams(Buffer.concat(chunks).toString()), response, fault !== undefined)
}

/** Newest first, as Twilio lists them. */
function listMessages(world: World, url: string, response: ServerResponse): void {
  const query = new URL(url, 'http://twilio').searchParams
  const messages = world.messages.filter(({ to, from }) => to === query.get('To') && from === query.get('From')).reverse()
  response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify({ messages, page: 0, next_page_uri: null }))
}

function send(world: World, form: URLSearchParams, response: ServerResponse, isLost: boolean): void {
  const [to = '', from = '', body = ''] = ['To', 'From', 'Body'].map((name) => form.get(name) ?? '')
  if (!/^\+\d{7,15}$/.test(to)) return void refuse(response, 400, 21211, `Invalid 'To' Phone Number: ${to}`)
  if (!/^\+\d{7,15}$/.test(from)) return void refuse(response, 400, 21212, `Invalid From Number: ${from}`)
  if (body === '') return void refuse(response, 400, 21602, 'Message body is required.')
  if (body.length > 1600) return void refuse(response, 400, 21617, 'The concatenated message body exceeds the 1600 character limit')
  const sid = numberSid('SM', world.messages.length + 1)
  world.messages.push({ to, from, body, sid, date_created: (world.now?.() ?? new Date()).toUTCString() })
  if (isLost) return void response.destroy()
  response.writeHead(201, { 'Content-Type': 'application/json' }).end(JSON.stringify({ sid, status: 'queued', body, to, from }))
}
