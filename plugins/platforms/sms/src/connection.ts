import type { Attachment, Call, Platform } from '@agent/plugin-sdk'
import { linkSignals } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createReceiveQueue, describeError, openLife } from '@agent/plugin-sdk/http'
import { type Api, createApi, platform } from './api.ts'
import type { Config } from './config.ts'
import { openMemory } from './memory.ts'
import { createSender } from './outbound.ts'
import { loadSettings } from './settings.ts'
import { createAdmit, createWebhook } from './webhook.ts'
import { isMediaPath, maskNumber } from './wire.ts'

/** Calls have some dozens of short fields. They are sorted before the signature can be compared, so that anybody may make work. */
const maxBodyBytes = 65_536

/** One number of a Twilio account. */
const sms: Platform<Config> = {
  async connect(context, call) {
    const { clock, log, receive } = context
    using given = linkSignals(context.signal, call.signal)
    const settings = await loadSettings(context.config, context.secrets)
    const api = createApi(context, settings)
    await api.prove(given.signal)
    const memory = await openMemory(context.state, settings.number)
    const life = openLife(context, platform)
    const sender = createSender({ api, memory, settings, clock, signal: life.signal })
    const accept = createReceiveQueue({ receive, clock, signal: life.signal, onFailure: life.end })
    const webhook = createWebhook({ settings, accept, clock, log, life })
    const { url } = await context.http.route(
      '/webhooks/twilio',
      webhook,
      { open: settings.webhookUrl === undefined, maxBodyBytes },
      createAdmit(settings),
    )
    life.serve()
    if (settings.webhookUrl === undefined) log.warn('calls are believed without a signature: everybody who reaches this address can write')
    log.info('connected to Twilio', { number: maskNumber(settings.number), listens: url, called: settings.webhookUrl })
    return {
      send: sender.send,
      findSent: sender.findSent,
      identity: async () => ({ id: settings.number, name: settings.number }),
      fetchMedia: (attachment, fetchCall) => fetchMedia(api, attachment, fetchCall),
      lastHeard: async () => life.lastHeard(),
      close: async (closeCall) => {
        await sender.finish(closeCall.signal)
        life.close()
      },
    }
  },
}

async function* fetchMedia(api: Api, attachment: Attachment, { signal }: Call): AsyncIterable<Uint8Array> {
  if (!isMediaPath(attachment.id)) throw fail('MEDIA_MISSING', { path: attachment.id })
  const response = await api.fetchFile(attachment.id, signal).catch((cause: unknown) => {
    throw fail('PLATFORM_UNREACHABLE', { platform, detail: describeError(cause).detail }, { cause })
  })
  if (response.status === 404) throw fail('MEDIA_MISSING', { path: attachment.id })
  if (!response.ok || !response.body) throw fail('PLATFORM_UNREACHABLE', { platform, detail: `it answered ${response.status} for a file` })
  yield* response.body
}

export default sms
