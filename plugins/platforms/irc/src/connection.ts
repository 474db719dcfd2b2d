import { randomUUID } from 'node:crypto'
import type { Connection, Platform, PlatformContext } from '@agent/plugin-sdk'
import { linkSignals } from '@agent/plugin-sdk'
import { fail, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import { createReceiveQueue } from '@agent/plugin-sdk/http'
import { type Client, lost, openClient } from './client.ts'
import type { Config } from './config.ts'
import { readMessage } from './inbound.ts'
import { createSender } from './outbound.ts'
import { identify, joinChannels, regainNick, register } from './registration.ts'
import { loadSettings, type Settings } from './settings.ts'
import { watch } from './watch.ts'
import { foldCase } from './wire.ts'

/** One nick on one server. */
const irc: Platform<Config> = {
  async connect(context, call) {
    const settings = await loadSettings(context.config, context.secrets)
    const { server: host, port, tls, certificate } = settings
    const { clock } = context
    using given = linkSignals(context.signal, call.signal)
    const { signal } = given
    const client = await openClient({ host, port, tls, certificate, clock, signal, createId: randomUUID })
    context.effect(() => client.close())
    try {
      await register(client, settings, signal)
      identify(client, settings)
      listen(context, client, settings)
      await joinChannels(client, settings.channels, context.log, signal)
    } catch (error) {
      client.end(lost('it could not be opened'))
      throw isAgentError(error) ? error : fail('PLATFORM_UNREACHABLE', { platform: 'IRC', detail: String(error) }, { cause: error })
    }
    return open(context, client, settings)
  },
}

/** Hands in what is said from the welcome on. */
function listen({ receive, clock }: PlatformContext<Config>, client: Client, { server, nickname }: Settings): void {
  const account = `${nickname}@${server}`.toLowerCase()
  const accept = createReceiveQueue({
    receive,
    clock,
    signal: client.signal,
    pause: client.pause,
    resume: client.resume,
    onFailure: () => client.end(lost('a message could not be stored')),
  })
  client.onLine((line, nick) => {
    const message = readMessage(line, { account, nick, createId: randomUUID })
    // What could not be handed in ends the connection; there is no acknowledgement to wait for.
    if (message) accept(message).catch(() => undefined)
  })
}

function open(context: PlatformContext<Config>, client: Client, settings: Settings): Connection {
  const { clock, log } = context
  let closing = false
  const tellLost = (): void => {
    if (!closing && !context.signal.aborted) context.lost({ retryable: true, error: toWireError(client.signal.reason) })
  }
  client.signal.addEventListener('abort', tellLost, { once: true })
  if (client.signal.aborted) tellLost()
  client.onLine(({ command, params: [name] }, nick) => {
    const ours = command === 'NICK' && name === nick
    if (ours && foldCase(nick) === foldCase(settings.nickname)) identify(client, settings)
  })
  watch({ client, clock, onMinute: () => regainNick(client, settings) }).catch((error: unknown) => client.end(lost(String(error))))
  const sender = createSender({ client, clock, lineDelayMs: settings.lineDelayMs, createId: randomUUID })
  log.info('connected to IRC', { server: settings.server, nick: client.nick(), tls: settings.tls })
  return {
    send: sender.send,
    identity: async () => ({ id: client.nick().toLowerCase(), name: client.nick() }),
    lastHeard: async () => client.lastHeard(),
    close: async (closeCall) => {
      closing = true
      await sender.finish(closeCall.signal)
      await client.close()
    },
  }
}

export default irc
