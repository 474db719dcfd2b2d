import { homedir } from 'node:os'
import { type Clock, type Log, withTimeLimit } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { IPty } from '@lydell/node-pty'
import type { WebSocket } from 'ws'
import * as z from 'zod/mini'
import type { SocketRoute } from './open-web-sockets.ts'

export interface TerminalRouteOptions {
  /** How this program is started. */
  readonly program: readonly string[]
  /** The environment of what runs in the terminal. Throws PROFILE_NOT_FOUND. */
  readonly environmentOf: (profile: string) => Readonly<Record<string, string | undefined>>
  /** Where the address names none. */
  readonly profile: string
  readonly clock: Clock
  readonly log: Log
}

/** What a terminal says: its output, or that its program has ended. */
export type TerminalMessage = { readonly type: 'output'; readonly data: string } | { readonly type: 'exit'; readonly code: number }

const side = z.int().check(z.gte(2), z.lte(1000))
const sizes = z.strictObject({ columns: side, rows: side })
const heard = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input'), data: z.string().check(z.maxLength(1_000_000)) }),
  z.strictObject({ type: z.literal('resize'), columns: side, rows: side }),
])

/** So many terminals are open at once. */
const mostOpen = 8
/** So much may wait for a browser before the program has to. */
const mostWaiting = 1_048_576
const pollMs = 50
const graceMs = 5_000
/** The reason of a close frame has at most 123 bytes. */
const longestReason = 40

/** Close codes of RFC 6455: the program has ended, there are too many of them, or it cannot be started. */
const codes = { ended: 1000, crowded: 1013, failed: 1011 } as const

/** `/api/pty`: the chat of the terminal, in a terminal of the browser. It ends when its socket does. */
export function serveTerminal({ program, environmentOf, profile: usual, clock, log }: TerminalRouteOptions): SocketRoute {
  let open = 0
  return (socket, { query, signal }) => {
    if (open >= mostOpen) return socket.close(codes.crowded, 'Too many terminals are open. Close one of them, then open this one again.')
    open++
    socket.once('close', () => open--)
    const size = sizes.safeParse({ columns: Number(query.get('columns') ?? 80), rows: Number(query.get('rows') ?? 24) })
    if (!size.success) return socket.close(codes.failed, 'The size of the terminal cannot be used.')
    const profile = query.get('profile') ?? usual
    void start({ program, profile, environment: () => environmentOf(profile), ...size.data }).then(
      (terminal) => connect(terminal, { socket, signal, clock }),
      (error: unknown) => {
        log.warn('a terminal could not be opened', { error: detailOf(error) })
        if (!signal.aborted) socket.close(codes.failed, detailOf(error).slice(0, longestReason))
      },
    )
  }
}

interface Connected {
  readonly socket: WebSocket
  /** Fires when the socket is closed. */
  readonly signal: AbortSignal
  readonly clock: Clock
}

function connect(terminal: IPty, { socket, signal, clock }: Connected): void {
  const send = (message: TerminalMessage): void => socket.send(JSON.stringify(message))
  let hasEnded = false
  const gone = new Promise<void>((resolve) =>
    terminal.onExit(({ exitCode }) => {
      hasEnded = true
      resolve()
      if (signal.aborted) return
      send({ type: 'exit', code: exitCode })
      socket.close(codes.ended)
    }),
  )
  if (signal.aborted) return void end(terminal, gone, clock)
  signal.addEventListener('abort', () => hasEnded || void end(terminal, gone, clock), { once: true })
  const slow = createBrake(terminal, { socket, signal, clock })
  terminal.onData((data) => {
    if (signal.aborted) return
    send({ type: 'output', data })
    slow()
  })
  socket.on('message', (data) => {
    const message = heard.safeParse(parse(data.toString()))
    if (!message.success || hasEnded) return
    if (message.data.type === 'input') terminal.write(message.data.data)
    else terminal.resize(message.data.columns, message.data.rows)
  })
}

/** A browser that does not read makes the program wait, and nothing more is held for it. */
function createBrake(terminal: Pick<IPty, 'pause' | 'resume'>, { socket, signal, clock }: Connected): () => void {
  let isPaused = false
  const wait = async (): Promise<void> => {
    while (!signal.aborted && socket.bufferedAmount >= mostWaiting) await clock.sleep(pollMs)
    isPaused = false
    if (!signal.aborted) terminal.resume()
  }
  return () => {
    if (isPaused || socket.bufferedAmount < mostWaiting) return
    isPaused = true
    terminal.pause()
    void wait()
  }
}

interface Starting {
  readonly program: readonly string[]
  readonly profile: string
  readonly environment: () => Readonly<Record<string, string | undefined>>
  readonly columns: number
  readonly rows: number
}

async function start({ program: [file = process.execPath, ...words], profile, environment, columns, rows }: Starting): Promise<IPty> {
  const env = { ...environment(), TERM: 'xterm-256color', COLORTERM: 'truecolor' }
  const { spawn } = await import('@lydell/node-pty')
  return spawn(file, [...words, '-p', profile, 'chat'], { name: 'xterm-256color', cols: columns, rows, cwd: homedir(), env })
}

/** The terminal hangs up; what does not end then is killed. */
async function end(terminal: { kill(signal?: string): void }, gone: Promise<void>, clock: Clock): Promise<void> {
  terminal.kill('SIGHUP')
  try {
    await withTimeLimit({ clock, ms: graceMs, what: 'The end of a terminal' }, () => gone)
  } catch {
    terminal.kill('SIGKILL')
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
