import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { TestHome } from './test-home.ts'

/** The built program. */
export const program = join(fileURLToPath(new URL('../..', import.meta.url)), 'host', 'bin', 'agent.mjs')

/** What a gateway says once it runs, whether or not a plugin of it opens an HTTP door. */
export const gatewayRuns: RegExp = /^agent (?:listens at \S+|runs; no HTTP door is open\.)\n/m

/** How a run of the built program ended, and what a person saw of it. */
export interface AgentRun {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** Standard output. */
  readonly out: string
  /** Standard error. */
  readonly note: string
}

export interface RunOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly input?: string
  readonly cwd?: string
  /** Words before the program's own, for instance to run it in a sandbox. */
  readonly wrapper?: readonly string[]
  readonly timeoutMs?: number
}

/** A built program that runs. */
export interface AgentProcess {
  readonly child: ChildProcess
  readonly ended: Promise<AgentRun>
  /** Resolves with all that was said, on either stream, as soon as it fits; rejects when the program ends before. */
  heard(pattern: RegExp): Promise<string>
}

/** Standard error without the lines that a command says only where it takes longer than a second. */
export const besideProgress = (note: string): string => note.replaceAll(/^.*…\n/gm, '')

/** Runs `agent <words>` to its end. */
export function runAgent(home: TestHome, words: readonly string[], options: RunOptions = {}): Promise<AgentRun> {
  return startAgent(home, words, options).ended
}

/** Starts `agent <words>`; killed after `timeoutMs`. */
export function startAgent(home: TestHome, words: readonly string[], options: RunOptions = {}): AgentProcess {
  const { environment = {}, input = '', cwd = home.work, wrapper = [], timeoutMs = 25_000 } = options
  const [command = process.execPath, ...rest] = [...wrapper, process.execPath, program, ...words]
  const child = spawn(command, rest, { cwd, env: { ...home.environment, ...environment }, stdio: 'pipe' })
  const killer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  let out = ''
  let note = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    note += text
  })
  // A program that ends without reading its input is no failure of the test.
  child.stdin.on('error', () => undefined).end(input)
  const ended = new Promise<AgentRun>((resolve, reject) => {
    child.once('error', reject).once('close', (code, signal) => {
      clearTimeout(killer)
      resolve({ code, signal, out, note })
    })
  })
  const heard = (pattern: RegExp): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => void (pattern.test(out + note) && resolve(out + note))
      child.stdout.on('data', look)
      child.stderr.on('data', look)
      void ended.then(() => reject(new Error(`agent ${words.join(' ')} ended before it said ${pattern}: ${out}${note}`)), reject)
      look()
    })
  return { child, ended, heard }
}
