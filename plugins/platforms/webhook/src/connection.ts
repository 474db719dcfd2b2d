import type { Platform, PlatformContext } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createReceiveQueue, openLife } from '@agent/plugin-sdk/http'
import { openCoalescer } from './coalesce.ts'
import type { Config } from './config.ts'
import { createAdmit, createDoor } from './door.ts'
import { account } from './inbound.ts'
import { logAnswer, platform } from './outbound.ts'
import { reply } from './reply.ts'
import { loadRoutes, type Route } from './settings.ts'

/** The routes below `/webhooks` of the callback listener. */
const webhook: Platform<Config> = {
  async connect(context, call) {
    const { config, secrets, clock, log, state, receive, http } = context
    const routes = await loadRoutes(config, secrets)
    call.signal.throwIfAborted()
    const life = openLife(context, platform)
    const { signal } = life
    const accept = createReceiveQueue({ receive, clock, signal, onFailure: life.end })
    const coalescer = await openCoalescer({ state, clock, signal, routes, accept, onFailure: life.end })
    const { rate_limit: perMinute, max_body_bytes: maxBodyBytes } = config
    const door = createDoor({ routes, perMinute, receive, coalescer, clock, log, signal, onHear: life.hear })
    const { url } = await http.route('/webhooks/*', door, { maxBodyBytes }, createAdmit({ routes }))
    await http.route('/health', async () => reply(200, 'ok', { platform: 'webhook' }))
    try {
      warn(context, routes, url)
    } catch (error) {
      life.close()
      throw error
    }
    life.serve()
    log.info('webhooks are received', { url, routes: [...routes.keys()] })
    return {
      send: async (message) => logAnswer(log, message),
      identity: async () => ({ id: account, name: platform }),
      lastHeard: async () => life.lastHeard(),
      close: async () => life.close(),
    }
  },
}

function warn({ log }: Pick<PlatformContext, 'log'>, routes: ReadonlyMap<string, Route>, url: string): void {
  if (routes.size === 0) log.warn('no webhook route is configured: add one under platforms.webhook.extra.routes')
  const open = [...routes.values()].filter(({ secret }) => secret === undefined).map(({ name }) => name)
  if (open.length === 0) return
  const { hostname } = new URL(url)
  if (!/^(127(\.\d+){3}|\[::1\]|localhost)$/.test(hostname)) throw fail('BIND_UNSAFE', { host: hostname, setting: 'WEBHOOK_SECRET' })
  log.warn('these webhook routes believe everybody who reaches this machine; use this for trials only', { routes: open })
}

export default webhook
