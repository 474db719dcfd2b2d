import type { AddressInfo } from 'node:net'
import { createServer, type TLSSocket } from 'node:tls'
import type { Disturbance } from '@agent/plugin-sdk/testing'
import { createLineReader, formatLine, type Line, parseLine } from '../src/wire.ts'
import { makeCertificate } from './certificate.ts'

/** The chat in small: it speaks the protocol over TLS, and refuses what the real one refuses. */
export interface LineServer extends AsyncDisposable {
  readonly port: number
  /** Who vouches for it. */
  readonly ca: string
  /** Every line that came in, in order. */
  readonly lines: readonly Line[]
  /** What the bot has said, in order. */
  readonly heard: readonly string[]
  /** Somebody says this; it is offered until the bot has taken it. */
  say(text: string, conversation?: string): void
  redeliver(): void
  /** Sends bytes as they are. */
  raw(bytes: string | Uint8Array): void
  /** Leaves what the bot says unanswered until the function that this gives is called. */
  hold(): () => void
  cut(): void
  /** Makes the next message of the bot go wrong; false where this chat never does so. */
  disturb(what: Disturbance): boolean
}

interface State {
  readonly token: string
  readonly lines: Line[]
  readonly messages: Line[]
  readonly taken: Set<string>
  /** What the bot has said, by key: the id and the text. */
  readonly said: Map<string, readonly [id: string, text: string]>
  bot?: TLSSocket
  next?: Disturbance | undefined
  held?: (() => void)[] | undefined
}

const conversations = new Set(['ann', '#room'])
const troubles: readonly Disturbance[] = ['limit', 'error', 'garbage', 'lose-receipt']

export async function openLineServer(token: string): Promise<LineServer> {
  const ca = makeCertificate()
  const state: State = { token, lines: [], messages: [], taken: new Set(), said: new Map() }
  const sockets = new Set<TLSSocket>()
  const server = createServer({ cert: ca, key: ca }, (socket) => {
    sockets.add(socket)
    const read = createLineReader((text) => take(state, socket, parseLine(text)))
    socket.on('error', () => socket.destroy()).on('close', () => sockets.delete(socket))
    socket.on('data', (chunk) => {
      try {
        read(chunk)
      } catch {
        socket.destroy()
      }
    })
  })
  server.on('tlsClientError', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => sockets.forEach((socket) => void socket.destroy())
  return {
    port: (server.address() as AddressInfo).port,
    ca,
    lines: state.lines,
    get heard() {
      return [...state.said.values()].map(([, text]) => text)
    },
    say: (text, conversation = 'ann') => offer(state, conversation, 'ann', text),
    redeliver: () => write(state.bot, ...(state.messages.at(-1) ?? [])),
    raw: (bytes) => void state.bot?.write(bytes),
    hold: () => {
      const held: (() => void)[] = []
      state.held = held
      return () => {
        state.held = undefined
        for (const act of held) act()
      }
    },
    cut,
    disturb: (what) => {
      if (troubles.includes(what)) state.next = what
      return troubles.includes(what)
    },
    [Symbol.asyncDispose]: async () => {
      cut()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const write = (socket: TLSSocket | undefined, ...line: Line): void => void socket?.write(`${formatLine(line)}\n`)

function offer(state: State, conversation: string, person: string, text: string): string {
  const id = `m${state.messages.length + 1}`
  state.messages.push(['MSG', id, conversation, person, text])
  write(state.bot, 'MSG', id, conversation, person, text)
  return id
}

type Command = (state: State, socket: TLSSocket, ...words: Line) => void

const commands: Readonly<Record<string, Command>> = {
  AUTH: (state, socket, token) => {
    if (token === 'silence') return
    if (token !== state.token) return void socket.end(`${formatLine(['REFUSED', 'wrong token'])}\n`)
    // A bot has one connection: the newer one ends the older one.
    state.bot?.destroy()
    state.bot = socket
    write(socket, 'HELLO', 'bot-1', 'Bot')
    for (const message of state.messages) if (!state.taken.has(message[1] ?? '')) write(socket, ...message)
  },
  TAKEN: ({ taken }, _socket, id = '') => void taken.add(id),
  SAY: (state, socket, key = '', conversation = '', text = '') => {
    const { next } = state
    state.next = undefined
    if (!conversations.has(conversation)) return write(socket, 'NO', key, '0', 'there is no such conversation')
    if (text === '') return write(socket, 'NO', key, '0', 'there is nothing to say')
    if (next === 'limit') return write(socket, 'NO', key, '20', 'too fast')
    if (next === 'error') return write(socket, 'NO', key, '0', 'out of order')
    if (next === 'garbage') return write(socket, 'OK', key)
    const id = offer(state, conversation, 'bot-1', text)
    state.said.set(key, [id, text])
    state.taken.add(id)
    write(socket, 'OK', key, ...(next === 'lose-receipt' ? [] : [id]))
  },
  FIND: ({ said }, socket, key = '') => {
    const [id] = said.get(key) ?? []
    write(socket, ...(id === undefined ? ['NONE', key] : ['OK', key, id]))
  },
  PING: (_state, socket, word = '') => write(socket, 'PONG', word),
  PONG: () => undefined,
}

/** Hangs up on who does not keep to the protocol. */
function take(state: State, socket: TLSSocket, line: Line): void {
  const [name = '', ...words] = line
  state.lines.push(line)
  const isKnown = Object.hasOwn(commands, name) && (name === 'AUTH' || socket === state.bot)
  const act = (): void => (isKnown ? commands[name]?.(state, socket, ...words) : void socket.destroy())
  if (state.held && name === 'SAY') state.held.push(act)
  else act()
}
