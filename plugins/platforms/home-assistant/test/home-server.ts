import type { HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { type FakeServer, type FakeSocket, openFakeServer } from '@agent/plugin-sdk/testing'

interface State {
  readonly entity_id: string
  readonly state: string
  readonly attributes?: Readonly<Record<string, unknown>>
}

export interface HomeServerOptions {
  readonly token: string
  /** Events that the token's user may listen to; an administrator may listen to all. */
  readonly allowed?: readonly string[]
  /** An automation says this as soon as somebody listens to it. */
  readonly waiting?: string
  readonly states?: readonly State[]
}

/** A house in small; it refuses what a Home Assistant refuses. A connection below `/silence` is never answered. */
export interface HomeServer {
  readonly server: FakeServer
  /** What stands on the page of notifications, by id. */
  readonly notifications: ReadonlyMap<string, string>
  /** Services that were called, with their data. */
  readonly calls: readonly { readonly service: string; readonly data: Readonly<Record<string, unknown>> }[]
  /** How often somebody came in with the right token. */
  logins(): number
  /** Sends an event to everybody who listens to it. */
  fire(event: string, data: unknown, more?: { readonly user?: string; readonly at?: string }): void
  /** An entity changes. */
  change(before: State | null, after: State | null, more?: { readonly user?: string; readonly at?: string }): void
  [Symbol.asyncDispose](): Promise<void>
}

export const self = { id: '31ddb597e03147118cf8d2f8fbea5553', name: 'Agent' }

const services = [
  {
    domain: 'light',
    services: {
      turn_on: { description: 'Turns lights on.', fields: { brightness_pct: {}, transition: {} } },
      turn_off: { description: 'Turns lights off.', fields: {} },
    },
  },
  { domain: 'notify', services: { mobile_app_phone: { fields: { message: {} } } } },
  { domain: 'persistent_notification', services: { create: { fields: { message: {} } } } },
  { domain: 'shell_command', services: { reboot: { fields: {} } } },
]

export async function openHomeServer({ token, allowed, waiting, states = [] }: HomeServerOptions): Promise<HomeServer> {
  const notifications = new Map<string, string>()
  const calls: { service: string; data: Readonly<Record<string, unknown>> }[] = []
  const listeners = new Map<FakeSocket, Map<string, number>>()
  let fired = 0
  let logins = 0
  const onLogin = (): void => {
    logins += 1
  }
  const onListen = (event: string): void => {
    if (waiting !== undefined && event === 'agent_message') fire(event, { text: waiting })
  }
  const server = await openFakeServer((request) => answer(request, { token, states, notifications, calls }), {
    socket: (socket) => {
      if (socket.url !== '/silence/api/websocket') converse(socket, { token, allowed, listeners, onListen, onLogin })
    },
    refuseSocket: ({ url }) => (/^(\/silence)?\/api\/websocket$/.test(url ?? '') ? undefined : 404),
  })
  const fire: HomeServer['fire'] = (type, data, { user, at = new Date().toISOString() } = {}) => {
    fired += 1
    const context = { id: `01HOUSE${fired}`, parent_id: null, user_id: user ?? null }
    const event = { event_type: type, data, origin: 'LOCAL', time_fired: at, context }
    for (const [socket, subscribed] of listeners) {
      const id = subscribed.get(type)
      if (id !== undefined) socket.send(JSON.stringify({ id, type: 'event', event }))
    }
  }
  return {
    server,
    notifications,
    calls,
    logins: () => logins,
    fire,
    change: (before, after, more) =>
      fire('state_changed', { entity_id: (after ?? before)?.entity_id, old_state: before, new_state: after }, more),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

interface Talk {
  readonly token: string
  readonly allowed: readonly string[] | undefined
  readonly listeners: Map<FakeSocket, Map<string, number>>
  readonly onListen: (event: string) => void
  readonly onLogin: () => void
}

function converse(socket: FakeSocket, { token, allowed, listeners, onListen, onLogin }: Talk): void {
  let last: number | undefined
  const send = (frame: object): void => socket.send(JSON.stringify(frame))
  const enter = ({ type, access_token }: Record<string, unknown>): void => {
    if (type === 'auth' && access_token === token) {
      last = 0
      onLogin()
      send({ type: 'auth_ok', ha_version: '2026.4.0' })
    } else {
      send({ type: 'auth_invalid', message: type === 'auth' ? 'Invalid access token or password' : 'Auth message incorrectly formatted' })
      socket.close(1000)
    }
  }
  const obey = ({ id, type, event_type: event }: Record<string, unknown>, before: number): object => {
    if (typeof id !== 'number') return refusal(0, 'invalid_format', 'Message incorrectly formatted.')
    if (id <= before) return refusal(id, 'id_reuse', 'Identifier values have to increase.')
    last = id
    if (type === 'ping') return { id, type: 'pong' }
    if (type === 'auth/current_user') return { id, type: 'result', success: true, result: { ...self, is_admin: allowed === undefined } }
    if (type !== 'subscribe_events') return refusal(id, 'unknown_command', 'Unknown command.')
    if (allowed && !allowed.includes(String(event))) return refusal(id, 'unauthorized', 'Unauthorized')
    listeners.set(socket, (listeners.get(socket) ?? new Map()).set(String(event), id))
    queueMicrotask(() => onListen(String(event)))
    return { id, type: 'result', success: true, result: null }
  }
  socket.onClose(() => listeners.delete(socket))
  socket.onText((text) => {
    const frame = JSON.parse(text) as Record<string, unknown>
    if (last === undefined) enter(frame)
    else send(obey(frame, last))
  })
  send({ type: 'auth_required', ha_version: '2026.4.0' })
}

function refusal(id: number, code: string, message: string): object {
  return { id, type: 'result', success: false, error: { code, message } }
}

interface House {
  readonly token: string
  readonly states: readonly State[]
  readonly notifications: Map<string, string>
  readonly calls: { service: string; data: Readonly<Record<string, unknown>> }[]
}

function answer({ method, url, headers, body }: HttpRequest, house: House): HttpReply | Promise<HttpReply> {
  if (headers.authorization !== `Bearer ${house.token}`) return { status: 401, body: '401: Unauthorized' }
  const [, api, kind, name, service] = url.split('/')
  if (api !== 'api') return { status: 404, body: '404: Not Found' }
  if (method === 'GET' && kind === 'states') return showStates(house, name)
  if (method === 'GET' && kind === 'services') return json(200, services)
  if (method === 'POST' && kind === 'services') return callService(house, `${name}.${service}`, String(Buffer.from(body)))
  return { status: 404, body: '404: Not Found' }
}

function showStates({ states }: House, name: string | undefined): HttpReply | Promise<HttpReply> {
  if (name === undefined) return json(200, states)
  if (name === 'light.hanging') return new Promise(() => undefined)
  const found = states.find(({ entity_id }) => entity_id === name)
  return found ? json(200, found) : json(404, { message: 'Entity not found.' })
}

function callService({ states, notifications, calls }: House, service: string, body: string): HttpReply {
  const [domain = '', name = ''] = service.split('.')
  const known = services.find((one) => one.domain === domain)?.services
  if (!known || !Object.hasOwn(known, name)) return { status: 400, body: '400: Bad Request' }
  const data = JSON.parse(body) as Record<string, unknown>
  const speaks = domain === 'notify' || domain === 'persistent_notification'
  if (speaks && typeof data.message !== 'string') return { status: 400, body: '400: Bad Request' }
  calls.push({ service, data })
  if (service === 'persistent_notification.create') notifications.set(String(data.notification_id ?? calls.length), String(data.message))
  return json(200, domain === 'light' ? states.filter(({ entity_id }) => entity_id === data.entity_id) : [])
}

function json(status: number, value: unknown): HttpReply {
  return { status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) }
}
