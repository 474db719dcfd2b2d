import { withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { openWebSocket, type TextSocket } from '@agent/plugin-sdk/http'
import { createApi, platform, prove } from './api.ts'
import { type Envelope, parseEnvelope, replies } from './wire.ts'
import type { App } from './workspaces.ts'

/** Deals with what came; it is acknowledged when this resolves, and comes again when it rejects. */
type Read = (envelope: Envelope) => Promise<void>

const helloMs = 10_000
const pingMs = 30_000
/** Why Slack wants another socket in place of a sound one. */
const renewals = new Set(['warning', 'refresh_requested'])
/** A socket that is to be renewed sooner is no sound one. */
const leastLifeMs = 10_000

/** Receives by Socket Mode. Slack renews a socket every few hours and says so before: the next one is open before the old one is left. */
export async function openSocketMode(app: App, read: Read): Promise<Pick<TextSocket, 'close'>> {
  const renew = (): void => {
    const old = current
    current = openSocket(app, read, renew)
    current.then(async () => (await old).close()).catch(app.life.end)
  }
  let current = openSocket(app, read, renew)
  await current
  return { close: async () => await (await current).close() }
}

/** One socket after its hello. */
async function openSocket(app: App, read: Read, renew: () => void): Promise<TextSocket> {
  const { life, context, settings } = app
  const { clock, log } = context
  const openedAt = clock.now()
  let greet = (_error?: unknown): void => undefined
  const greeted = new Promise<void>((resolve, reject) => {
    greet = (error) => (error === undefined ? resolve() : reject(error))
  })
  greeted.catch(() => undefined)
  let retired = false
  const onDisconnect = (reason = ''): void => {
    if (retired) return
    retired = true
    if (reason === 'link_disabled') life.end(fail('PLATFORM_AUTH', { platform, detail: 'Socket Mode is switched off for the app' }))
    else if (renewals.has(reason) && clock.now() - openedAt >= leastLifeMs) renew()
    else life.end(new Error(`Slack ended the connection: ${reason}`))
  }
  const onText = (text: string): void => {
    const envelope = parseEnvelope(text)
    if (envelope?.type === 'hello') greet()
    else if (envelope?.type === 'disconnect') onDisconnect(envelope.reason)
    else if (envelope?.envelope_id !== undefined) onEnvelope(envelope)
    else log.debug('Slack sent what cannot be read')
  }
  const onEnvelope = (envelope: Envelope): void => {
    const acknowledge = async (): Promise<void> => (await opening).send(JSON.stringify({ envelope_id: envelope.envelope_id }))
    read(envelope)
      .then(acknowledge)
      .catch(
        (error: unknown) =>
          life.signal.aborted || log.warn('what Slack sent was not taken', { type: envelope.type, reason: String(error) }),
      )
  }
  const onEnd = (code: number): void => {
    const error = new Error(`Slack closed the connection (${code})`)
    greet(error)
    if (!retired) life.end(error)
  }
  const api = createApi(context, settings.api_url, settings.appToken)
  const { url } = await prove(api.ask(replies.socket, 'apps.connections.open', {}, life.signal))
  const opening = openWebSocket({ url, platform, clock, signal: life.signal, pingMs, onHear: life.hear, onText, onEnd })
  const socket = await opening
  await withTimeLimit({ clock, signal: life.signal, ms: helloMs, what: 'the greeting of Slack' }, (signal) => {
    signal.addEventListener('abort', () => greet(signal.reason), { once: true })
    return greeted
  })
  return socket
}
