import type { InboundMessage, Platform } from '@agent/plugin-sdk'
import { connectWithin, createReceiveQueue } from '@agent/plugin-sdk/http'
import { platform } from './api.ts'
import type { Config } from './config.ts'
import { fetchFile } from './files.ts'
import { readSaid, readSlash } from './inbound.ts'
import { createSender } from './outbound.ts'
import { answerPress } from './press.ts'
import { loadSettings } from './settings.ts'
import { createSigns } from './signs.ts'
import { openSocketMode } from './socket.ts'
import { type Envelope, payloads } from './wire.ts'
import { type App, openApp } from './workspaces.ts'

/** One app in one or more workspaces. */
const slack: Platform<Config> = {
  async connect(context, call) {
    const settings = await loadSettings(context.config, context.secrets)
    return await connectWithin(context, platform, call, async (life) => {
      const app = await openApp(context, settings, life)
      const socket = await openSocketMode(app, createReader(app))
      const { finish, ...sender } = createSender(app)
      const [{ user, name, team }] = [app.locate('')]
      life.serve()
      context.log.info('connected to Slack', { bot: name, team, workspaces: app.workspaces.length })
      return {
        ...sender,
        ...createSigns(app),
        fetchMedia: (attachment, fetchCall) => fetchFile(app, attachment, fetchCall),
        identity: async () => ({ id: user, name }),
        lastHeard: async () => life.lastHeard(),
        close: async (closeCall) => {
          await finish(closeCall.signal)
          const over = life.signal.aborted
          life.close()
          if (!over) await socket.close()
        },
      }
    })
  },
}

/** What becomes of each thing that comes over the socket. Messages are handed in in the order in which they came. */
function createReader(app: App): (envelope: Envelope) => Promise<void> {
  const { life, context } = app
  const accept = createReceiveQueue({ receive: context.receive, clock: context.clock, signal: life.signal, onFailure: life.end })
  let last: Promise<unknown> = Promise.resolve()
  const take = async (read: () => Promise<InboundMessage | undefined>): Promise<void> => {
    // Names are asked for one message after the other; what is read waits in the queue.
    const reading = last.then(read)
    last = reading.catch(() => undefined)
    const message = await reading
    if (message) await accept(message)
  }
  return async ({ type, payload }) => {
    if (type === 'events_api') {
      const callback = payloads.event.safeParse(payload).data
      if (callback) await take(() => readSaid(callback, app))
    } else if (type === 'slash_commands') {
      const slash = payloads.slash.safeParse(payload).data
      if (slash) await take(async () => readSlash(slash, app))
    } else if (type === 'interactive') {
      const press = payloads.press.safeParse(payload).data
      if (press) await answerPress(press, app)
    }
  }
}

export default slack
