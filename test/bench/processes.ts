import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import type { Bench } from './figure.ts'

type Variables = Readonly<Record<string, string>>

export interface Ran {
  readonly ms: number
  readonly code: number | null
  readonly output: string
}

/** What a measured program sees of the environment: nothing of the caller's that could slow it down or change it. */
export function cleanEnvironment(variables: Variables): Variables {
  const native = process.env.AGENT_NATIVE_CACHE ?? join(homedir(), '.cache', 'agent', 'native')
  return { PATH: process.env.PATH ?? '', HOME: '/nonexistent', AGENT_NATIVE_CACHE: native, ...variables }
}

/** Runs a Node program from its start to its exit. */
export async function runNode({ root, signal }: Bench, args: readonly string[], variables: Variables = {}): Promise<Ran> {
  const startedAt = performance.now()
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: cleanEnvironment(variables),
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
    killSignal: 'SIGKILL',
  })
  let output = ''
  let ms = Number.NaN
  const gather = (piece: Buffer): void => {
    output += piece
  }
  child.stdout.on('data', gather)
  child.stderr.on('data', gather)
  child.once('exit', () => {
    ms = performance.now() - startedAt
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { ms, code, output }
}

/** Like `runNode`, but a program that fails ends the measurement. */
export async function runSound(bench: Bench, args: readonly string[], variables?: Variables): Promise<Ran> {
  const ran = await runNode(bench, args, variables)
  if (ran.code !== 0) throw fail('INTERNAL', { detail: `node ${args.join(' ')} ended with ${ran.code}: ${ran.output.slice(-500)}` })
  return ran
}

/** A program that serves until it is closed. */
export interface Server extends AsyncDisposable {
  readonly child: ChildProcess
  readonly pid: number
  /** What it said on standard error. */
  complaints(): string
}

export function startNode({ root, signal }: Bench, args: readonly string[], variables: Variables = {}): Server {
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: cleanEnvironment(variables),
    // The channel tells the child that its parent is gone.
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    signal,
    killSignal: 'SIGKILL',
  })
  child.on('error', () => undefined)
  let complaints = ''
  child.stderr?.on('data', (piece) => {
    complaints += piece
  })
  const closed = once(child, 'close').catch(() => undefined)
  return {
    child,
    pid: child.pid ?? 0,
    complaints: () => complaints,
    async [Symbol.asyncDispose]() {
      const kill = setTimeout(() => child.kill('SIGKILL'), 5000)
      child.kill('SIGTERM')
      await closed
      clearTimeout(kill)
    },
  }
}

/** The first line that a program prints. */
export async function firstLine({ child }: Server): Promise<string> {
  let text = ''
  for await (const piece of child.stdout ?? []) {
    text += piece
    const end = text.indexOf('\n')
    if (end >= 0) return text.slice(0, end)
  }
  throw fail('INTERNAL', { detail: 'a program of the bench ended before it was ready' })
}

/** MiB that a process holds in memory now. */
export function residentMemory(pid: number): number {
  return Number(/VmRSS:\s*(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}

/** Seconds of processor time that a process has used, own and for the system. */
export function processorSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / 100
}

/** Milliseconds of so many starts of Node, which say how fast the machine is now. */
export async function timeStarts(bench: Bench, count: number): Promise<readonly number[]> {
  const starts: number[] = []
  for (let round = 0; round < count; round++) starts.push((await runSound(bench, ['-e', '0'])).ms)
  return starts
}
