import type { HttpReply, HttpRequest } from '@agent/plugin-sdk'
import { type Disturbance, openFakeServer } from '@agent/plugin-sdk/testing'
import type { WireMessage } from '../src/wire.ts'

export interface Chat {
  readonly url: string
  /** What the bot has said, in order. */
  readonly heard: readonly string[]
  say(text: string, about?: Partial<WireMessage>): void
  /** Breaks the question for messages that waits, or else the next one. */
  hangUp(): void
  /** Makes the next message that the bot sends go wrong; false where this chat never does so. */
  disturb(what: Disturbance): boolean
  [Symbol.asyncDispose](): Promise<void>
}

interface Sent {
  readonly room: string
  readonly text: string
  readonly key: string
}

const json = (value: unknown): HttpReply => ({ status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(value) })

/** The Sample chat in small: it answers when there is a message, and knows a repeated send by its key. */
export async function openChat(token: string): Promise<Chat> {
  const messages: WireMessage[] = []
  const numbers = new Map<string, number>()
  let wake: () => void = () => undefined
  const add = (message: Omit<WireMessage, 'number'>): number => {
    const number = messages.length + 1
    messages.push({ ...message, number })
    wake()
    return number
  }
  const take = ({ room, text, key }: Sent): number => {
    const number = numbers.get(key) ?? add({ from: bot, room: { id: room, direct: true }, text, mentions: [] })
    numbers.set(key, number)
    return number
  }
  const answer = async ({ method, url, headers, body }: HttpRequest): Promise<HttpReply> => {
    if (headers.authorization === 'Bearer silence') return await new Promise(() => undefined)
    if (headers.authorization !== `Bearer ${token}`) return { status: 401 }
    if (url === '/self') return json({ id: bot.id, name: bot.name })
    if (method === 'POST') return json({ number: take(JSON.parse(new TextDecoder().decode(body)) as Sent) })
    const after = Number(url.split('after=')[1])
    const fresh = (): readonly WireMessage[] => messages.filter(({ number }) => number > after)
    while (fresh().length === 0) await new Promise<void>((resolve) => (wake = resolve))
    return json({ messages: fresh() })
  }
  const server = await openFakeServer(answer)
  return {
    url: server.url,
    hangUp: () => {
      server.breakOn(({ url }) => url.startsWith('/messages?'), { type: 'drop' })
      server.cut()
    },
    disturb: (what) => {
      if (what !== 'error' && what !== 'garbage') return false
      server.breakOn(({ method }) => method === 'POST', what === 'error' ? { type: 'status', status: 500 } : { type: 'garbage' })
      return true
    },
    get heard() {
      return messages.filter(({ from }) => from.id === bot.id).map(({ text }) => text)
    },
    say: (text, about) =>
      void add({ from: { id: 'ann', name: 'Ann', bot: false }, room: { id: 'room-1', direct: true }, text, mentions: [], ...about }),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

const bot = { id: 'bot-1', name: 'Bot', bot: true }
