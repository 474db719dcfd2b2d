import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { type Clock, isOverWithin, type PreparedCommand } from '@agent/plugin-sdk'
import type { Exit } from './exit-words.ts'
import { killTree, signalTree } from './process-tree.ts'
import { partEnd, statePipe } from './shell-script.ts'
import { parseTold, type Told } from './shell-state.ts'

export interface Start {
  readonly prepared: PreparedCommand
  readonly folder: string
  /** By which all that it starts is found again. */
  readonly mark: string
  readonly environment: Readonly<Record<string, string>>
  readonly stdin: 'ignore' | 'pipe'
  readonly clock: Clock
  onOutput(text: string): void
}

/** A shell and everything it started: a process group and what has left it, or one sandbox. */
export interface Running {
  readonly pid: number
  readonly contained: boolean
  /** It has its own process table, and everything in it ends with the shell. */
  readonly isAlone: boolean
  /** How the shell ended, after its output was read. Rejects when it could not be started. */
  readonly ended: Promise<Exit>
  readonly stdin: ChildProcess['stdin']
  /** What the shell said of its state at its end. */
  told(): Told | undefined
  /** True while any process of the group lives, also after the shell has ended. */
  alive(): boolean
  /** Ends everything: politely first, then by force. */
  stop(): Promise<void>
  /** Ends everything at once. */
  kill(): void
}

const politeness = 2000
/** A background process may hold the pipe open; output that was already written arrives well within this. */
const drain = 200
/** More of it is no state of a shell. */
const mostTold = 1_000_000

export function startCommand({ prepared, folder, mark, environment, stdin, clock, onOutput }: Start): Running {
  const { file, args, infoPipe, contained } = prepared
  const pipes = Array.from({ length: statePipe + 1 }, (_, at) => (at === infoPipe || at === statePipe ? 'pipe' : 'ignore'))
  const child = spawn(file, args, {
    cwd: folder,
    env: { ...environment },
    detached: true,
    stdio: [stdin, 'pipe', 'pipe', ...pipes.slice(3)],
  })
  const told = collect(child.stdio[statePipe], (text) => text.split(partEnd).length > 3 || text.length > mostTold)
  const info = collect(infoPipe === null ? undefined : child.stdio[infoPipe], (text) => text.includes('}'))
  const decoder = new TextDecoder()
  child.stdout?.on('data', (bytes: Uint8Array) => onOutput(decoder.decode(bytes, { stream: true })))
  child.stderr?.on('data', (bytes: Uint8Array) => onOutput(Buffer.from(bytes).toString()))
  // A program that does not read its input any more is no failure of ours.
  child.stdin?.on('error', () => undefined)
  const pid = child.pid ?? 0
  const ended = untilEnded(child, told.whole, clock)
  /** Inside of a sandbox the program has its own group; a signal to the sandbox itself would not be polite. */
  const politeGroup = async (): Promise<number> => {
    if (infoPipe === null) return pid
    await isOverWithin({ clock, ms: drain }, info.whole)
    return Number(/"child-pid":\s*(\d+)/.exec(info.text())?.[1] ?? pid)
  }
  /** False where nothing was left. */
  const endAll = (): boolean => {
    killTree(child, mark)
    const lived = signalGroup(pid, 'SIGKILL')
    // The first process of a sandbox that is just being made has left the group, and has not yet asked to end with its parent.
    if (infoPipe !== null) killTree(child, mark)
    return lived
  }
  return {
    pid,
    contained,
    isAlone: infoPipe !== null,
    ended,
    stdin: child.stdin,
    told: () => parseTold(told.text()),
    alive: () => signalGroup(pid, 0),
    kill: () => void endAll(),
    async stop() {
      // A sandbox that is just being made has no such group yet.
      const group = await politeGroup()
      if (infoPipe === null) signalTree(child, mark)
      if (signalGroup(group, 'SIGTERM')) await isOverWithin({ clock, ms: politeness }, ended)
      if (endAll()) await ended.catch(() => undefined)
    },
  }
}

function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (pid === 0) return false
  try {
    return process.kill(-pid, signal)
  } catch {
    return false
  }
}

/** The text of a pipe so far, and a promise of enough of it. */
function collect(pipe: unknown, isWhole: (text: string) => boolean): { readonly whole: Promise<void>; text(): string } {
  let text = ''
  const whole = new Promise<void>((resolve) => {
    const stream = pipe as Readable | null | undefined
    stream?.once('close', resolve).on('error', () => resolve())
    stream?.on('data', (bytes: Uint8Array) => {
      if (!isWhole(text)) text += Buffer.from(bytes).toString()
      if (isWhole(text)) resolve()
    })
    if (!stream) resolve()
  })
  return { whole, text: () => text }
}

function untilEnded(child: ChildProcess, told: Promise<void>, clock: Clock): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    const streams = [child.stdout, child.stderr].flatMap((stream) => (stream ? [once(stream, 'close')] : []))
    const read = Promise.all([...streams, told])
    child.once('exit', (code, signal) => {
      void isOverWithin({ clock, ms: drain }, read).then(() => {
        // What is left running keeps its pipe, so that it does not die of it; nothing waits for it.
        for (const stream of child.stdio.slice(1)) (stream as { unref?: () => void } | null)?.unref?.()
        resolve({ code, signal })
      })
    })
  })
}
