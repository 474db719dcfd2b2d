import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Clock, findJsonExcess, isOverWithin, type Log } from '@agent/plugin-sdk'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { endGroup, signalGroup } from './process-group.ts'
import { createLineReader } from './read-lines.ts'

export interface StdioOptions {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd: string | undefined
  readonly clock: Clock
  readonly log: Log
}

export interface StdioTransport extends Transport {
  /** What it said last on its error output, and why it was ended. */
  lastWords(): string
}

const mostWords = 2000
const drainMs = 200

/** A server as a program with a separate group: it is ended with everything that it started, and when it writes more than anybody reads. */
export function openStdio({ name, command, args, env, cwd, clock, log }: StdioOptions): StdioTransport {
  let child: ChildProcess | undefined
  let ended: Promise<unknown> = Promise.resolve()
  let words = ''
  let closing: Promise<void> | undefined
  const note = (text: string): void => {
    words = `${words}${text}`.slice(-mostWords)
  }
  const transport: StdioTransport = {
    lastWords: () => words.trim(),
    async start() {
      const started = spawn(command, [...args], { cwd, env: { ...env }, detached: true, stdio: 'pipe', windowsHide: true })
      child = started
      ended = once(started, 'exit').catch(() => undefined)
      follow(started)
      await once(started, 'spawn')
    },
    async send(message) {
      if (!child?.stdin?.writable) throw new Error(`The MCP server ${name} has ended.`)
      child.stdin.write(`${JSON.stringify(message)}\n`)
    },
    close() {
      closing ??= child ? endGroup(child, ended, clock) : Promise.resolve()
      return closing.then(() => transport.onclose?.())
    },
  }

  function giveUp(problem: string): void {
    note(`\nIt was ended because it ${problem}.`)
    log.warn('an MCP server was ended', { server: name, problem: `it ${problem}` })
    if (child) signalGroup(child, 'SIGKILL')
  }

  function follow(started: ChildProcess): void {
    const reader = createLineReader((line) => read(line, () => reader.answered()))
    started.stdout?.on('data', (bytes: Uint8Array) => {
      const problem = reader.push(bytes)
      if (problem === undefined) return
      started.stdout?.removeAllListeners('data').resume()
      giveUp(problem)
    })
    // Only the end is kept, however much it is.
    started.stderr?.on('data', (bytes: Uint8Array) => note(Buffer.from(bytes.subarray(-mostWords)).toString('utf8')))
    started.stdin?.on('error', () => undefined)
    started.once('error', (error) => transport.onerror?.(error))
    started.once('exit', () => {
      signalGroup(started, 'SIGKILL')
      // Its last words are still on their way; something that has left its group may hold the pipe for ever.
      const read = once(started, 'close').catch(() => undefined)
      void isOverWithin({ clock, ms: drainMs }, read).then(() => !closing && transport.onclose?.())
    })
  }

  function read(line: string, answered: () => void): void {
    const message = parseMessage(line)
    // Servers that print greetings are common; a line that is no message is no reason to end one.
    if (!message) {
      note(`\n${line.slice(0, 200)}`)
      return
    }
    if ('id' in message && !('method' in message)) answered()
    transport.onmessage?.(message)
  }

  return transport
}

function parseMessage(line: string): JSONRPCMessage | undefined {
  if (!line.trimStart().startsWith('{') || findJsonExcess(line) !== undefined) return undefined
  try {
    const value = JSON.parse(line) as { readonly jsonrpc?: unknown }
    return value.jsonrpc === '2.0' ? (value as JSONRPCMessage) : undefined
  } catch {
    return undefined
  }
}
