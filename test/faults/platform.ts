import { once } from 'node:events'
import { connect as openSocket, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { Platform, PlatformContext, Receipt } from '@agent/plugin-sdk'
import type { FromGateway, FromVendor } from './vendor.ts'

export interface Config {
  readonly port: number
  /** Pause between the commit of a message and its acknowledgement. */
  readonly pauseMs: number
}

/** The plugin of the fake service, against the public contract alone. */
const platform: Platform<Config> = {
  async connect(context, call) {
    const socket = openSocket(context.config.port, '127.0.0.1')
    context.effect(() => void socket.destroy())
    await once(socket, 'connect', { signal: call.signal })
    const waiting = new Map<number, (receipt: Receipt) => void>()
    const asked = new Map<number, (receipt: Receipt | null) => void>()
    let count = 0
    let heard = context.clock.now()
    let taken = Promise.resolve()
    const lines = createInterface({ input: socket })
    lines.on('error', () => socket.destroy())
    lines.on('line', (line) => {
      heard = context.clock.now()
      const words = JSON.parse(line) as FromVendor
      if (words.type === 'found') {
        asked.get(words.n)?.(words.id === null ? null : { status: 'sent', platformId: words.id })
        asked.delete(words.n)
      } else if (words.type === 'sent') {
        waiting.get(words.n)?.({ status: 'sent', platformId: words.id })
        waiting.delete(words.n)
      } else taken = taken.then(() => take(context, socket, words)).catch((error: unknown) => context.log.error(String(error)))
    })
    const lost = { code: 'PLATFORM_LOST', params: { platform: context.about.contribution, detail: 'the connection closed' } }
    socket.on('error', () => socket.destroy())
    socket.once('close', () => {
      for (const settle of waiting.values()) settle({ status: 'unknown', error: lost })
      context.lost({ retryable: true, error: lost })
    })
    return {
      send(message) {
        const n = ++count
        const { key, conversation, text, part, replyTo: answers } = message
        tell(socket, { type: 'send', n, key, conversation, text, part: part.index, answers })
        if (socket.destroyed) return Promise.resolve({ status: 'unknown', error: lost })
        return new Promise((resolve) => waiting.set(n, resolve))
      },
      findSent({ key }, { signal }) {
        const n = ++count
        tell(socket, { type: 'find', n, key })
        return new Promise((resolve, reject) => {
          asked.set(n, resolve)
          const fail = () => reject(new Error('the connection closed'))
          for (const end of [signal, context.signal]) end.addEventListener('abort', fail, { once: true })
          if (socket.destroyed) fail()
          socket.once('close', fail)
        })
      },
      lastHeard: async () => heard,
      close: async () => void socket.destroy(),
    }
  },
}

function tell(socket: Socket, words: FromGateway): void {
  socket.write(`${JSON.stringify(words)}\n`)
}

async function take(
  context: PlatformContext<Config>,
  socket: Socket,
  { id, conversation, text }: { id: string; conversation: string; text: string },
): Promise<void> {
  const result = await context.receive({
    id,
    account: 'bot',
    conversation: { id: conversation, kind: 'dm' },
    sender: { id: 'ann', isBot: false },
    text,
    addressed: true,
  })
  await context.clock.sleep(context.config.pauseMs, context.signal)
  tell(socket, result.status === 'busy' ? { type: 'busy', id, retryAfterMs: result.retryAfterMs } : { type: 'taken', id })
}

export default platform
