import { connect as openSocket, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import type { PlatformContext } from '../../contract/context.ts'
import { fail } from '../../contract/errors.ts'
import type { Call } from '../../contract/wire.ts'
import { createReceiveQueue } from '../../http/receive-queue.ts'
import type { Connection, Platform } from '../../kinds/platform.ts'

export type MailboxContext = PlatformContext<{ readonly port: number }>

export interface Alteration {
  readonly connected?: (context: MailboxContext, token: string) => void
  readonly refuse?: () => Error
  readonly connection?: (sound: Connection, context: MailboxContext) => Partial<Connection>
}

/** A platform of lines over TCP that keeps every rule; an alteration breaks it. */
export function mailbox({ connected, refuse = refused, connection = () => ({}) }: Alteration = {}): Platform<{ readonly port: number }> {
  return {
    connect: async (context, call) => {
      const token = await context.secrets.get('MAILBOX_TOKEN')
      const socket = openSocket(context.config.port, '127.0.0.1')
      const reader = createInterface({ input: socket })
      const lines = reader[Symbol.asyncIterator]()
      socket.on('close', () => reader.close())
      const giveUp = (): void => void socket.destroy()
      call.signal.addEventListener('abort', giveUp, { once: true })
      socket.on('error', giveUp)
      if (call.signal.aborted) giveUp()
      socket.write(`AUTH ${token}\n`)
      const { value } = (await lines.next().catch(() => ({}))) as { value?: string }
      call.signal.removeEventListener('abort', giveUp)
      if (value !== 'OK') {
        giveUp()
        throw value === undefined ? fail('PLATFORM_UNREACHABLE', { platform: 'mailbox', detail: 'nobody answers' }) : refuse()
      }
      context.effect(giveUp)
      connected?.(context, token)
      const sound = open(context, socket, lines)
      return { ...sound, ...connection(sound, context) }
    },
  }
}

/** The same platform with parts of its context exchanged. */
export function alterContext(change: (context: MailboxContext) => Partial<MailboxContext>): Platform<{ readonly port: number }> {
  return { connect: (context, call) => mailbox().connect({ ...context, ...change(context) }, call) }
}

const refused = (): Error => fail('PLATFORM_AUTH', { platform: 'mailbox', detail: 'wrong token' })

function open(context: MailboxContext, socket: Socket, lines: AsyncIterator<string>): Connection {
  let heard = context.clock.now()
  let closed = false
  const waiting: ((id: string) => void)[] = []
  const { receive, clock, signal } = context
  const accept = createReceiveQueue({ receive, clock, signal, onFailure: () => socket.destroy() })
  const read = async (): Promise<void> => {
    for (let line = await lines.next(); !line.done; line = await lines.next()) {
      heard = context.clock.now()
      const [verb, id = '', text = ''] = line.value.split('|')
      if (verb === 'DONE') waiting.shift()?.(id)
      else
        await accept({
          id,
          text,
          account: 'bot',
          conversation: { id: 'room', kind: 'group' },
          sender: { id: 'ann', isBot: false },
          addressed: true,
        })
    }
    if (!closed)
      context.lost({ retryable: true, error: { code: 'PLATFORM_LOST', params: { platform: 'mailbox', detail: 'the line is dead' } } })
  }
  // A message that waits to be offered again is given up at the end.
  void read().catch(() => undefined)
  return {
    send: async (message, call: Call) => {
      const id = await new Promise<string>((resolve, reject) => {
        waiting.push(resolve)
        call.signal.addEventListener('abort', () => reject(call.signal.reason), { once: true })
        socket.write(`SAY|${message.text.replaceAll('\n', '\\n')}\n`)
      })
      return { status: 'sent', platformId: id }
    },
    identity: async () => ({ id: 'bot', name: 'Bot' }),
    lastHeard: async () => heard,
    close: async () => {
      closed = true
      socket.destroy()
    },
  }
}
