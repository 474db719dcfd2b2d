import type { Clock } from '@agent/plugin-sdk'
import { linkSignals } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import { type LineSocketOptions, openLineSocket } from './line-socket.ts'
import { foldCase, formatLine, type Line, parseLine } from './wire.ts'

/** The protocol on one connection: lines, who we are, and what has been heard. */
export interface Client {
  /** Fires when the connection is over; its reason is the error. */
  readonly signal: AbortSignal
  readonly nick: () => string
  /** `nick!user@host` as others see us, which the server puts before our lines; as long as it can get until it is known. */
  readonly mask: () => string
  readonly lastHeard: () => number
  write(command: string, ...params: readonly string[]): void
  /** Shows every line, with our nick at that moment, until the disposer is called. */
  onLine(listen: (line: Line, nick: string) => void): () => void
  /** The first thing that `find` makes of a line; what it throws rejects. */
  until<T>(find: (line: Line) => T | undefined, signal: AbortSignal): Promise<T>
  /** Resolves when the server has dealt with all that was written before: it works in order, and answers a PING last. */
  roundTrip(signal: AbortSignal): Promise<void>
  /** Stops and goes on reading. */
  pause(): void
  resume(): void
  end(error: AgentError): void
  close(): Promise<void>
}

export interface ClientOptions extends Omit<LineSocketOptions, 'onLine' | 'onEnd'> {
  readonly clock: Clock
  readonly createId: () => string
}

export const lost = (detail: string): AgentError => fail('PLATFORM_LOST', { platform: 'IRC', detail })

export async function openClient({ createId, ...options }: ClientOptions): Promise<Client> {
  const { clock } = options
  const life = new AbortController()
  const listeners = new Set<(line: Line, nick: string) => void>()
  const self = createSelf()
  let lastHeard = clock.now()

  const hear = (text: string): void => {
    if (life.signal.aborted) return
    lastHeard = clock.now()
    const line = parseLine(text)
    if (!line) return
    if (line.command === 'PING') write('PONG', line.params.at(-1) ?? '')
    self.learn(line)
    for (const listen of [...listeners]) listen(line, self.nick())
    if (line.command === 'ERROR') end(lost(line.params.at(-1) ?? 'the server ended it'))
  }
  const socket = await openLineSocket({ ...options, onLine: hear, onEnd: (detail) => end(lost(detail)) })
  const end = (error: AgentError): void => {
    life.abort(error)
    socket.destroy()
  }
  const write: Client['write'] = (command, ...params) => {
    if (!life.signal.aborted) socket.write(formatLine(command, ...params))
  }
  const onLine: Client['onLine'] = (listen) => {
    listeners.add(listen)
    return () => void listeners.delete(listen)
  }
  const until: Client['until'] = async (find, signal) => {
    using given = linkSignals(life.signal, signal)
    return await waitFor(find, onLine, given.signal)
  }
  return {
    signal: life.signal,
    nick: self.nick,
    mask: self.mask,
    lastHeard: () => lastHeard,
    write,
    onLine,
    until,
    roundTrip: async (signal) => {
      const key = createId()
      const answered = until(({ command, params }) => (command === 'PONG' && params.at(-1) === key) || undefined, signal)
      write('PING', key)
      await answered
    },
    pause: socket.pause,
    resume: socket.resume,
    end,
    close: async () => {
      if (life.signal.aborted) return
      life.abort(lost('it was closed'))
      await socket.close(formatLine('QUIT', 'Bye'))
    },
  }
}

function waitFor<T>(find: (line: Line) => T | undefined, onLine: Client['onLine'], signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const leave = (): void => {
      off()
      signal.removeEventListener('abort', giveUp)
    }
    const giveUp = (): void => {
      leave()
      reject(signal.reason)
    }
    const off = onLine((line) => {
      try {
        const found = find(line)
        if (found === undefined) return
        leave()
        resolve(found)
      } catch (error) {
        leave()
        reject(error)
      }
    })
    signal.addEventListener('abort', giveUp, { once: true })
  })
}

/** Longest user and host that a server shows. */
const widestAddress = `${'u'.repeat(10)}@${'h'.repeat(63)}`

/** Who we are, as far as the server has said. */
function createSelf(): { nick(): string; mask(): string; learn(line: Line): void } {
  let nick = ''
  let address = widestAddress
  return {
    nick: () => nick,
    mask: () => `${nick}!${address}`,
    learn: ({ source, nick: from, command, params }) => {
      const [first = '', second = ''] = params
      if (command === '001') nick = first
      // The server shows another host from now on.
      if (command === '396') address = second.includes('@') ? second : address.replace(/@.*/, `@${second}`)
      if (foldCase(from) !== foldCase(nick)) return
      if (source.includes('!')) address = source.slice(source.indexOf('!') + 1)
      if (command === 'NICK') nick = first
    },
  }
}
