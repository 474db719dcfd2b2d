import type { Clock, Connection, Identity, Platform, PlatformContext } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { connectWithin, createReceipts, createReceiveQueue, createSendGate, type Life } from '@agent/plugin-sdk/http'
import type { Config } from './config.ts'
import { readMessage } from './inbound.ts'
import { type Link, openLink, platform } from './link.ts'
import { createOutbound } from './outbound.ts'

/** One bot on one server. The life ends when the connection breaks, the call is given up or the plugin is switched off. */
const entry: Platform<Config> = {
  connect: (context, call) =>
    connectWithin(context, platform, call, async (life) => {
      const token = await context.secrets.get('SOCKET_SAMPLE_TOKEN')
      const link = await openLink(context.config, life)
      const self = await logIn(context, link, life, token)
      void beat(link, life, context.clock)
      life.serve()
      return open(link, life, self)
    }),
}

async function logIn(context: PlatformContext<Config>, link: Link, life: Life, token: string): Promise<Identity> {
  const answered = link.until(([command, first = '', name = first]) => {
    if (command === 'REFUSED') throw fail('PLATFORM_AUTH', { platform, detail: first })
    if (command !== 'HELLO' || first === '') return undefined
    const self = { id: first, name }
    // Not later: messages may come in the same packet.
    listen(context, link, life, self)
    return self
  }, life.signal)
  link.write('AUTH', token)
  return await answered
}

/** Hands in what is said, and tells the server that we have it once the host has. */
function listen({ receive, clock }: PlatformContext<Config>, link: Link, life: Life, self: Identity): void {
  const { pause, resume } = link
  const accept = createReceiveQueue({ receive, clock, signal: life.signal, pause, resume, onFailure: life.end })
  link.onLine((line) => {
    const [command, id = ''] = line
    if (command !== 'MSG') return
    const message = readMessage(line, self)
    const taken = message ? accept(message) : Promise.resolve()
    // What could not be handed in has ended the life, and is offered again on the next connection.
    taken.then(
      () => link.write('TAKEN', id),
      () => undefined,
    )
  })
}

const beatMs = 30_000

/** The gateway replaces a connection that hears nothing for two minutes: quiet people must not look like a dead server. */
async function beat(link: Link, life: Life, clock: Clock): Promise<void> {
  try {
    for (;;) {
      await clock.sleep(beatMs, life.signal)
      link.write('PING', 'beat')
    }
  } catch (error) {
    life.end(error)
  }
}

function open(link: Link, life: Life, self: Identity): Connection {
  const { send, findSent } = createOutbound(link, life)
  const gate = createSendGate(() => createReceipts(platform).notSent('the connection is being closed'))
  return {
    send: (message, call) => gate.run(() => send(message, call)),
    findSent,
    identity: async () => self,
    lastHeard: async () => life.lastHeard(),
    close: async ({ signal }) => {
      await gate.finish(signal)
      life.close()
    },
  }
}

export default entry
