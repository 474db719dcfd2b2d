import type { Call, Connection, InboundMessage, OutboundMessage, Platform, PlatformContext, Receipt } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'

/** A platform in memory that can do everything, and its other side. */
export interface MemoryService {
  readonly platform: Platform
  /** What people see: messages, marks, menus, and what was undone. */
  readonly seen: unknown[]
  hear(message: InboundMessage): Promise<void>
  press(): Promise<void>
  invite(): Promise<void>
  cut(): void
}

const about = { platform: 'Memory', detail: 'made up' }
export const now = 1_700_000_000_000
const room = { id: 'room', kind: 'group', name: 'Room' } as const

/** How connecting goes, by the value of the secret. */
const outcomes: Readonly<Record<string, (call: Call) => Promise<void>>> = {
  right: async () => undefined,
  wrong: () => Promise.reject(fail('PLATFORM_AUTH', about)),
  nobody: () => Promise.reject(fail('PLATFORM_UNREACHABLE', about)),
  silent: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true })),
}

/** `lacking`: methods that its connections do not have. */
export function openMemoryService(lacking: readonly (keyof Connection)[] = []): MemoryService {
  const seen: unknown[] = []
  const open: PlatformContext[] = []
  const newest = (): PlatformContext => open.at(-1) as PlatformContext
  let count = 0
  return {
    seen,
    platform: {
      connect: async (given, call) => {
        const context = given as PlatformContext
        await outcomes[await context.secrets.get('TOKEN')]?.(call)
        open.push(context)
        const end = (): void => void seen.push('undone')
        context.effect(end)
        context.signal.addEventListener('abort', end)
        await context.http.listen({ host: 'localhost', port: 0, maxBodyBytes: 100 }, (request, own) => answer(context, request.url, own))
        const connection = createConnection(seen, () => {
          count += 1
          return count
        })
        const close = async (): Promise<void> => {
          const index = open.indexOf(context)
          if (index >= 0) seen.push({ closed: open.splice(index, 1).length })
        }
        const methods = Object.entries({ ...connection, close }).filter(([name]) => !lacking.includes(name as keyof Connection))
        return Object.fromEntries(methods) as unknown as Connection
      },
    },
    hear: async (message) => {
      for (let time = 0; time < 3; time += 1) if ((await open[0]?.receive(message))?.status !== 'busy') return
    },
    press: async () => {
      const pressed = { account: 'bot', conversation: room, sender: { id: 'ann', isBot: false }, button: 'ask:0' }
      seen.push(await newest().press(pressed))
    },
    invite: async () => void seen.push(await newest().invited({ account: 'bot', conversation: room, sender: { id: 'ann', isBot: false } })),
    cut: () => newest().lost({ retryable: true, error: toWireError(fail('PLATFORM_LOST', about)) }),
  }
}

async function answer({ turns }: PlatformContext, url: string, call: Call): Promise<{ readonly status: number; readonly body?: string }> {
  if (!url.startsWith('/ask')) return { status: 404 }
  let body = ''
  for await (const event of turns.run({ input: url } as never, call)) body += 'text' in event ? event.text : ''
  return { status: 200, body }
}

/** What goes wrong with a message is said in its text. */
function receiptOf({ text }: OutboundMessage, id: string): Receipt {
  const error = { ...toWireError(fail('SEND_REFUSED', about)), retryAfterMs: 5 }
  if (text.includes('refuse')) return { status: 'refused', error }
  return text.includes('lose') ? { status: 'unknown', error } : { status: 'sent', platformId: id }
}

function createConnection(seen: unknown[], next: () => number): Connection {
  const bytes = async function* (): AsyncIterable<Uint8Array> {
    yield new Uint8Array(50_000)
    yield new Uint8Array(50_000)
  }
  const sent = new Map<string, string>()
  let heard = now
  return {
    send: async (message) => {
      const receipt = receiptOf(message, `message-${next()}`)
      if (receipt.status !== 'refused') seen.push({ send: message })
      if (receipt.status === 'sent') sent.set(message.key, receipt.platformId)
      return receipt
    },
    identity: async () => ({ id: 'bot', name: 'Bot' }),
    edit: async (id, message) => {
      const receipt = receiptOf(message, id)
      if (receipt.status === 'sent') seen.push({ edit: id, message })
      return receipt
    },
    findSent: async ({ key }) => {
      const platformId = sent.get(key)
      return platformId === undefined ? null : { status: 'sent', platformId }
    },
    typing: async (conversation) => void seen.push({ typing: conversation }),
    endTyping: async (conversation) => void seen.push({ endTyping: conversation }),
    react: async (message, mood) => void seen.push({ react: message, mood }),
    fetchMedia: bytes,
    setCommands: async (commands) => void seen.push({ commands }),
    listConversations: async () => [room],
    lastHeard: async () => {
      heard += 10
      return heard
    },
    close: async () => undefined,
  }
}
