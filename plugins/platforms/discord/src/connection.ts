import type { Connection, Platform, PlatformContext } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { createReceipts, createSendGate, type Life, openLife } from '@agent/plugin-sdk/http'
import { createActions } from './actions.ts'
import { type Api, createApi, platform, refuseToken, unreachable } from './api.ts'
import type { Bot } from './bot.ts'
import { createChannels } from './channels.ts'
import type { Config } from './config.ts'
import { openInbox } from './inbox.ts'
import { openMemory } from './memory.ts'
import { editMessage, sendMessage } from './outbound.ts'
import { openSession } from './session.ts'
import { loadSettings, type Settings } from './settings.ts'
import { createThreads } from './threads.ts'
import { read, wire } from './wire.ts'

/** One bot. */
const discord: Platform<Config> = {
  async connect(context, call) {
    const settings = await loadSettings(context.config, context.secrets)
    const life = openLife(context, platform)
    const giveUp = (): void => life.end(call.signal.reason)
    if (call.signal.aborted) giveUp()
    call.signal.addEventListener('abort', giveUp, { once: true })
    try {
      return await open(context, settings, life)
    } catch (error) {
      life.close()
      const isTold = isAgentError(error) && error.code !== 'TIMED_OUT' && error.code !== 'PLATFORM_LOST'
      throw isTold ? error : unreachable(error instanceof Error ? error.message : String(error), error)
    } finally {
      call.signal.removeEventListener('abort', giveUp)
    }
  },
}

async function open(context: PlatformContext<Config>, settings: Settings, life: Life): Promise<Connection> {
  const { clock, state, log } = context
  const { signal, hear, end } = life
  const api = createApi(context, settings)
  const early: [name: string, data: unknown][] = []
  let onEvent = (name: string, data: unknown): void => void early.push([name, data])
  const session = await openSession({
    url: await fetchGateway(api, signal),
    token: settings.token,
    ...{ clock, signal, random: Math.random, onHear: hear, onEnd: end },
    onEvent: (name, data) => onEvent(name, data),
  })
  const { user, application } = session.ready
  const memory = await openMemory(state, user.id, end)
  const [channels, threads] = [createChannels(api, user.id), createThreads(api)]
  const bot: Bot = { ...api, context, settings, life, channels, threads, memory, account: user.id, application: application.id }
  onEvent = openInbox(bot, session)
  for (const [name, data] of early) onEvent(name, data)
  const gone = () => createReceipts(platform).notSent('the connection is gone')
  const gate = createSendGate(gone)
  log.info('connected to Discord', { bot: user.username })
  life.serve()
  return {
    ...createActions(bot),
    send: (message, call) => (signal.aborted ? Promise.reject(gone()) : gate.run(() => sendMessage(bot, message, call))),
    edit: (id, message, call) => (signal.aborted ? Promise.reject(gone()) : gate.run(() => editMessage(bot, id, message, call))),
    identity: async () => ({ id: user.id, name: user.username }),
    lastHeard: async () => life.lastHeard(),
    close: async (closing) => {
      await gate.finish(closing.signal)
      if (!signal.aborted) await session.close()
      life.close()
      await memory.written()
    },
  }
}

/** The address of the gateway; asking for it proves the token. */
async function fetchGateway(api: Api, signal: AbortSignal): Promise<string> {
  const answer = await api.ask('GET', '/gateway/bot', signal)
  if (answer.status === 403) throw refuseToken(answer.detail)
  if (!answer.ok) throw unreachable(answer.detail)
  const gateway = read(wire.gateway, answer.body)
  if (!gateway) throw unreachable('it does not say where its gateway is')
  const { remaining = 1, reset_after: retryAfterMs = 0 } = gateway.session_start_limit ?? {}
  if (remaining > 0) return gateway.url
  throw fail('PLATFORM_UNREACHABLE', { platform, detail: 'no more sessions can be begun for now' }, { retryAfterMs })
}

export default discord
