import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type Clock, type Log, withTimeLimit } from '@agent/plugin-sdk'
import * as z from 'zod/mini'
import { type Line, line, update } from './wire.ts'

export interface AgentProcessOptions {
  readonly command: string
  readonly args: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Where it works. */
  readonly folder: string
  readonly log: Log
}

/** What the agent answered with in place of a result, or why there is no answer. */
export class AgentRefusal extends Error {
  override name = 'AgentRefusal'
  /** The code of JSON-RPC; undefined where the agent is gone. */
  readonly code: number | undefined

  constructor(message: string, code?: number) {
    super(message)
    this.code = code
  }
}

export type OnUpdate = (kind: string, content: unknown) => void

/** JSON-RPC 2.0 with an agent, a line each, over its standard input and output. */
export interface AgentProcess {
  /** Rejects with AgentRefusal. */
  request(method: string, params: object): Promise<unknown>
  notify(method: string, params: object): void
  /** Hears what a session tells, until the answer is disposed of. */
  onUpdate(session: string, hear: OnUpdate): Disposable
  readonly isAlive: () => boolean
  /** Asks it to end. */
  end(): void
  /** Resolves when it has ended, and ends it by force where it has not by then. */
  ended(clock: Clock): Promise<void>
}

interface Waiting {
  resolve(result: unknown): void
  reject(error: AgentRefusal): void
}

const endMs = 2_000
const longestLine = 32 * 1024 * 1024
const toldLetters = 500
const methodNotFound = -32601

export function startAgentProcess(options: AgentProcessOptions): AgentProcess {
  const { command, args, environment, folder, log } = options
  // A separate group: what is started by name may be a script that starts the agent.
  const child = spawn(command, args, { cwd: folder, env: { ...environment }, stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  const waiting = new Map<string, Waiting>()
  const hearing = new Map<string, OnUpdate>()
  let [last, complaint] = [0, '']
  let gone: AgentRefusal | undefined
  const write = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const stop = (reason: string): void => {
    const told = complaint.trim()
    gone ??= new AgentRefusal(told === '' ? reason : `${reason}: ${told}`)
    for (const { reject } of waiting.values()) reject(gone)
    waiting.clear()
  }
  const take = ({ id, method, params, result, error }: Line): void => {
    if (method !== undefined) {
      if (id !== undefined && id !== null) write({ id, ...answerTo(method) })
      const told = method === 'session/update' ? z.safeParse(update, params) : undefined
      if (told?.success) hearing.get(told.data.sessionId)?.(told.data.update.sessionUpdate, told.data.update.content)
      return
    }
    const asked = waiting.get(String(id))
    waiting.delete(String(id))
    if (error) asked?.reject(new AgentRefusal(describe(error), error.code))
    else asked?.resolve(result)
  }
  child.stdin.on('error', () => undefined)
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint = (complaint + text).slice(-toldLetters)
  })
  readLines(child, (text) => {
    const read = z.safeParse(line, parse(text))
    if (read.success) take(read.data)
    else log.debug('an agent wrote a line that is no message', { command, line: text.slice(0, toldLetters) })
  })
  child.once('error', (error) => stop(`${command} cannot be started: ${error.message}`))
  child.once('close', (code, signal) => stop(`${command} has ended with ${signal ?? code}`))
  return {
    request: (method, params) =>
      new Promise((resolve, reject) => {
        if (gone) return reject(gone)
        last += 1
        waiting.set(String(last), { resolve, reject })
        write({ id: last, method, params })
      }),
    notify: (method, params) => {
      if (!gone) write({ method, params })
    },
    onUpdate: (session, hear) => {
      hearing.set(session, hear)
      return { [Symbol.dispose]: () => void hearing.delete(session) }
    },
    isAlive: () => gone === undefined,
    end: () => end(child),
    ended: async (clock) => {
      if (isOver(child)) return
      const closed = once(child, 'close')
      const limit = { clock, ms: endMs, what: 'The end of the agent' }
      await withTimeLimit(limit, () => closed).catch(async () => {
        signalGroup(child, 'SIGKILL')
        await closed
      })
    },
  }
}

/** It gets a model's work, and no rights on this machine: tools are ours to run. */
function answerTo(method: string): object {
  if (method === 'session/request_permission') return { result: { outcome: { outcome: 'cancelled' } } }
  return { error: { code: methodNotFound, message: `${method} is not offered here` } }
}

function describe({ message, data }: NonNullable<Line['error']>): string {
  const more = typeof data === 'string' ? data : data === undefined || data === null ? '' : JSON.stringify(data)
  return (more === '' ? message : `${message}: ${more}`).slice(0, toldLetters)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function readLines(child: ChildProcess, take: (text: string) => void): void {
  let held = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const lines = (held + text).split('\n')
    held = lines.pop() ?? ''
    if (held.length > longestLine) return end(child)
    for (const each of lines) if (each.trim() !== '') take(each)
  })
}

function end(child: ChildProcess): void {
  child.stdin?.end()
  if (!isOver(child)) signalGroup(child, 'SIGTERM')
}

const isOver = ({ pid, exitCode, signalCode }: ChildProcess): boolean => pid === undefined || exitCode !== null || signalCode !== null

function signalGroup({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}
