import type { Attachment, Call, Platform } from '@agent/plugin-sdk'
import { linkSignals } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createReceiveQueue, openLife } from '@agent/plugin-sdk/http'
import type { Api } from './api.ts'
import { createApi, platform } from './api.ts'
import type { Config } from './config.ts'
import { createMemory } from './memory.ts'
import { createSender } from './outbound.ts'
import { loadSettings } from './settings.ts'
import { admitCall, createWebhook } from './webhook.ts'

/** One phone number of a business account. */
const whatsappCloud: Platform<Config> = {
  async connect(context, call) {
    const { clock, log, receive, press } = context
    using given = linkSignals(context.signal, call.signal)
    const settings = await loadSettings(context.config, context.secrets)
    const api = createApi(context, settings)
    const name = await api.prove(given.signal)
    const life = openLife(context, platform)
    const memory = createMemory()
    const sender = createSender({ api, memory, files: context.files, clock, life })
    const accept = createReceiveQueue({ receive, clock, signal: life.signal, onFailure: life.end })
    const webhook = createWebhook({ settings, accept, press, sender, memory, clock, log, life })
    const { url } = await context.http.route('/webhooks/whatsapp-cloud', webhook, {}, admitCall)
    life.serve()
    if (settings.appSecret === undefined)
      log.warn('nothing is received: WHATSAPP_CLOUD_APP_SECRET is missing, so that no call can be proved')
    if (settings.verifyToken === undefined) log.warn('Meta cannot confirm the address: WHATSAPP_CLOUD_VERIFY_TOKEN is missing')
    log.info('connected to WhatsApp', { number: settings.phoneNumberId, listens: url })
    return {
      send: sender.send,
      findSent: sender.findSent,
      typing: sender.typing,
      react: sender.react,
      fetchMedia: (attachment, fetchCall) => fetchMedia(api, attachment, fetchCall),
      identity: async () => ({ id: settings.phoneNumberId, name }),
      lastHeard: async () => life.lastHeard(),
      close: async (closeCall) => {
        await sender.finish(closeCall.signal)
        life.close()
      },
    }
  },
}

async function* fetchMedia(api: Api, { id }: Attachment, { signal }: Call): AsyncIterable<Uint8Array> {
  if (!/^\d+$/.test(id)) throw fail('MEDIA_MISSING', { path: id })
  yield* await api.fetchFile(id, signal)
}

export default whatsappCloud
