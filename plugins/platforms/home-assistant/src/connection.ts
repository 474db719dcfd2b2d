import type { Connection, Platform, PlatformContext } from '@agent/plugin-sdk'
import { connectWithin, createReceipts, createReceiveQueue, createSendGate, type Life } from '@agent/plugin-sdk/http'
import { createApi, platform } from './api.ts'
import type { Config } from './config.ts'
import { readEvent, saidEvent } from './inbound.ts'
import { sendMessage } from './outbound.ts'
import { openSession } from './session.ts'
import { loadSettings, type Settings } from './settings.ts'
import { createWatch, isWatching } from './watch.ts'
import type { HomeEvent } from './wire.ts'

/** One Home Assistant. */
const homeAssistant: Platform<Config> = {
  async connect(context, call) {
    const settings = await loadSettings(context.secrets)
    return await connectWithin(context, platform, call, (life) => open(context, settings, life))
  },
}

async function open(context: PlatformContext<Config>, settings: Settings, life: Life): Promise<Connection> {
  const { config, clock, log, receive } = context
  const held: HomeEvent[] = []
  let take = (event: HomeEvent): void => void held.push(event)
  const { socket, user, hearsAutomations } = await openSession({
    settings,
    clock,
    signal: life.signal,
    onHear: life.hear,
    onEvent: (event) => take(event),
    onEnd: life.end,
  })
  const accept = createReceiveQueue({
    receive,
    clock,
    signal: life.signal,
    pause: socket.pause,
    resume: socket.resume,
    onFailure: life.end,
  })
  const receiver = { account: new URL(settings.url).host, self: user.id, watch: createWatch(config, clock) }
  take = (event) => {
    const message = readEvent(event, receiver)
    // What could not be handed in ends the connection; there is no acknowledgement to wait for.
    if (message) accept(message).catch(() => undefined)
  }
  for (const event of held) take(event)
  if (!isWatching(config)) log.warn('no change at home is reported: name what to watch in watch_domains, watch_entities or watch_all')
  if (!hearsAutomations) log.info(`automations cannot send ${saidEvent}: the user of the token is no administrator`)
  log.info('connected to Home Assistant', { url: settings.url, user: user.name ?? user.id })
  const api = createApi(context, settings)
  const gate = createSendGate(() => createReceipts(platform).notSent('the connection is closed'))
  life.serve()
  return {
    send: (message, sendCall) => gate.run(() => sendMessage(api, clock, message, sendCall)),
    identity: async () => ({ id: user.id, name: user.name || 'agent' }),
    lastHeard: async () => life.lastHeard(),
    close: async (closeCall) => {
      await gate.finish(closeCall.signal)
      life.close()
      await socket.close()
    },
  }
}

export default homeAssistant
