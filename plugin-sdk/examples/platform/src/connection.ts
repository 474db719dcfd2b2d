import type { Connection, Platform, PlatformContext } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { connectWithin, createReceiveQueue, type Life } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'
import { readMessage } from './inbound.ts'
import { createSend } from './outbound.ts'
import { openService, platform, type Service } from './service.ts'
import { parseMessages, parseSelf, type Self } from './wire.ts'

/** One bot on one server. The life ends when the platform breaks, the call is given up or the plugin is switched off. */
const entry: Platform<Config> = {
  connect: (context, call) =>
    connectWithin(context, platform, call, async (life) => {
      const service = await openService(context)
      const self = parseSelf(await service.ask('/self', life.signal))
      if (self === undefined) throw unreadable()
      void listen(context, service, self, life)
      life.serve()
      return open(service, self, life)
    }),
}

/** Asks for messages again and again: the service answers as soon as there is one. The next question acknowledges what was taken. */
async function listen({ receive, clock, state }: PlatformContext<Config>, service: Service, self: Self, life: Life): Promise<void> {
  try {
    const accept = createReceiveQueue({ receive, clock, signal: life.signal, onFailure: life.end })
    let after = Number((await state.get('after')) ?? 0)
    for (;;) {
      const messages = parseMessages(await service.ask(`/messages?after=${after}`, life.signal))
      if (messages === undefined) throw unreadable()
      // An empty answer is a sign of life too.
      life.hear()
      for (const one of messages) {
        const message = readMessage(one, self)
        if (message) await accept(message)
        after = Math.max(after, one.number)
      }
      await state.set('after', after)
    }
  } catch (error) {
    life.end(error)
  }
}

function open(service: Service, self: Self, life: Life): Connection {
  return {
    send: createSend(service),
    identity: async () => self,
    lastHeard: async () => life.lastHeard(),
    close: async () => life.close(),
  }
}

const unreadable = (): Error => fail('PLATFORM_LOST', { platform, detail: 'its answer cannot be read' })

export default entry
