import type { HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { type FakeServer, openFakeServer } from '@agent/plugin-sdk/testing'
import { createSlackLimits, type SlackLimits } from './slack-limits.ts'
import { methods, no, ok, type Values } from './slack-methods.ts'
import { type Answer, type Bot, createStore, type SlackStore } from './slack-store.ts'
import { createSocketModeDoor, type SocketModeDoor } from './socket-mode-door.ts'

export interface SlackServer extends Pick<FakeServer, 'breakNext' | 'release' | 'cut'> {
  readonly url: string
  readonly http: FakeServer
  readonly bots: readonly Bot[]
  readonly store: SlackStore
  readonly door: SocketModeDoor
  /** Names of the methods that were called, in order. */
  readonly called: readonly string[]
  /** The next message is posted, but the answer is lost. */
  loseAnswer(): void
  /** The next call of this method is refused so. */
  refuseNext(method: string, error: string, status?: number, headers?: Readonly<Record<string, string>>): void
  [Symbol.asyncDispose](): Promise<void>
}

export const appToken = 'xapp-right'
export const defaultBots: readonly Bot[] = [{ token: 'xoxb-right', team: 'T0ONE', user: 'U0BOT', bot: 'B0BOT' }]

export interface SlackServerOptions {
  readonly bots?: readonly Bot[]
  readonly limits?: SlackLimits
}

/** Slack for tests: Web API, Socket Mode and files, with what the real one refuses. */
export async function openSlackServer({ bots = defaultBots, limits = createSlackLimits() }: SlackServerOptions = {}): Promise<SlackServer> {
  const called: string[] = []
  const refusals: { method: string; reply: HttpReply }[] = []
  const store = createStore(() => server.url)
  const door = createSocketModeDoor()
  let lose = false

  const callMethod = (method: string, request: HttpRequest): HttpReply => {
    called.push(method)
    const refusal = refusals.find((one) => one.method === method)
    if (refusal) return refusals.splice(refusals.indexOf(refusal), 1)[0]?.reply ?? refusal.reply
    const token = (request.headers.authorization ?? '').replace('Bearer ', '')
    if (method === 'apps.connections.open') return json(openLink(token, server.url, door))
    const bot = bots.find((one) => one.token === token)
    const values = readValues(request)
    const waitSeconds = bot ? limits(method, bot.team, values.channel) : 0
    if (waitSeconds > 0) return { ...json(no('ratelimited')), status: 429, headers: { 'Retry-After': String(waitSeconds) } }
    const answer = runMethod(method, request, bot, store)
    const lost = lose && /^(chat.postMessage|files.completeUploadExternal)$/.test(method)
    if (lost) lose = false
    // What an answer throws breaks the connection.
    if (lost) throw new Error('the answer is lost')
    return json(answer)
  }
  const server = await openFakeServer(
    (request) => {
      const [, kind = '', name = ''] = request.url.split('/')
      if (kind === 'silent') return new Promise(() => undefined)
      if (kind === 'login') return { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html>Sign in</html>' }
      return kind === 'api' ? callMethod(name, request) : transfer(kind, name, request, { store, bots })
    },
    { socket: door.enter, refuseSocket: ({ url = '' }) => (door.takeTicket(url.split('ticket=')[1] ?? '') ? undefined : 408) },
  )
  return {
    url: server.url,
    http: server,
    bots,
    store,
    door,
    called,
    loseAnswer: () => {
      lose = true
    },
    refuseNext: (method, error, status = 200, headers = {}) =>
      void refusals.push({ method, reply: { ...json(no(error)), status, headers } }),
    breakNext: server.breakNext,
    release: server.release,
    cut: server.cut,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const json = (answer: Answer): HttpReply => ({ status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(answer) })

function openLink(token: string, url: string, door: SocketModeDoor): Answer {
  if (token !== appToken) return no(token.startsWith('xoxb-') ? 'not_allowed_token_type' : 'invalid_auth')
  return ok({ url: `${url.replace('http', 'ws')}/link?ticket=${door.createTicket()}` })
}

function runMethod(method: string, { headers, body }: HttpRequest, bot: Bot | undefined, store: SlackStore): Answer {
  if (!bot) return no(headers.authorization ? 'invalid_auth' : 'not_authed')
  // Methods that read take nothing else.
  if (!headers['content-type']?.startsWith('application/x-www-form-urlencoded')) return no('invalid_form_data')
  return methods[method]?.(store, readValues({ body }), bot) ?? no('unknown_method')
}

const readValues = ({ body }: Pick<HttpRequest, 'body'>): Values =>
  Object.fromEntries(new URLSearchParams(Buffer.from(body).toString('utf8')))

function transfer(
  kind: string,
  id: string,
  { headers, body }: HttpRequest,
  { store, bots }: Pick<SlackServer, 'store' | 'bots'>,
): HttpReply {
  const file = store.files.get(id)
  if (!file) return { status: 404 }
  if (kind === 'upload') {
    if (file.state !== 'expected' || file.bytes.length !== body.length) return { status: 400, body: 'the length is another one' }
    file.bytes = body
    file.state = 'uploaded'
    return { status: 200, body: `OK - ${body.length}` }
  }
  const mayRead = bots.some(({ token }) => headers.authorization === `Bearer ${token}`)
  if (!mayRead || file.state === 'locked') return { status: 302, headers: { Location: '/login' } }
  return { status: 200, headers: { 'Content-Type': file.mime }, body: file.bytes }
}
