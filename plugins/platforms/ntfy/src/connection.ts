import { randomUUID } from 'node:crypto'
import type { Connection, Platform, PlatformContext } from '@agent/plugin-sdk'
import { linkSignals } from '@agent/plugin-sdk'
import { toWireError } from '@agent/plugin-sdk/errors'
import { createReceiveQueue } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'
import { readMessage } from './inbound.ts'
import { formatSince, type Memory, openMemory } from './memory.ts'
import { createSender } from './outbound.ts'
import { createRequest, type Request } from './server.ts'
import { loadSettings, type Settings } from './settings.ts'
import { lost, openSubscription, type Subscription } from './subscription.ts'
import type { NtfyEvent } from './wire.ts'

/** One topic on one server. */
const ntfy: Platform<Config> = {
  async connect(context, call) {
    using given = linkSignals(context.signal, call.signal)
    const settings = await loadSettings(context.config, context.secrets)
    const memory = await openMemory(context.state, settings.account, settings.topic, randomUUID)
    const request = createRequest(context, settings)
    const subscription = await openSubscription({
      request,
      path: `/${settings.topic}/json${formatSince(memory.heard())}`,
      clock: context.clock,
      signal: given.signal,
      listen: (signal) => listen(context, memory, settings, signal),
    })
    context.effect(() => subscription.end(lost('it was closed')))
    return open(context, { settings, memory, request, subscription })
  },
}

type Context = Pick<PlatformContext<Config>, 'receive' | 'clock'>

/** Hands in what was said, and remembers it as heard only when the host has it. */
function listen({ receive, clock }: Context, memory: Memory, settings: Settings, signal: AbortSignal): (event: NtfyEvent) => Promise<void> {
  // A failure rejects what is awaited below, which ends the subscription.
  const accept = createReceiveQueue({ receive, clock, signal, onFailure: () => undefined })
  // Where the server has forgotten the message we know, it gives us everything again. Later on an older time is lawful: a scheduled message.
  const from = memory.heard()?.time ?? 0
  return async (event) => {
    if (event.event === 'open' && !memory.heard()) return await memory.setHeard(event)
    if (event.event !== 'message' || event.time < from) return
    const message = readMessage(event, settings)
    if (message) await accept(message)
    await memory.setHeard(event)
  }
}

interface Parts {
  readonly settings: Settings
  readonly memory: Memory
  readonly request: Request
  readonly subscription: Subscription
}

function open(context: PlatformContext<Config>, { settings, memory, request, subscription }: Parts): Connection {
  const { signal, lastHeard, end } = subscription
  let closing = false
  const tellLost = (): void => {
    if (!closing && !context.signal.aborted) context.lost({ retryable: true, error: toWireError(signal.reason) })
  }
  signal.addEventListener('abort', tellLost, { once: true })
  if (signal.aborted) tellLost()
  const sender = createSender({ request, settings, memory, clock: context.clock, signal })
  context.log.info('connected to ntfy', { server: settings.server, topic: settings.topic })
  return {
    send: sender.send,
    identity: async () => ({ id: settings.topic, name: settings.topic }),
    findSent: sender.findSent,
    lastHeard: async () => lastHeard(),
    close: async (closeCall) => {
      closing = true
      await sender.finish(closeCall.signal)
      end(lost('it was closed'))
    },
  }
}

export default ntfy
