import { type SpawnOptions, type ChildProcess as SystemProcess, spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Duplex, Readable } from 'node:stream'
import { type Clock, isOverWithin } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type ChildCommand, statusPipe } from './child-command.ts'
import { endTogether } from './end-together.ts'
import { readLines } from './log-lines.ts'

const borderPipe = 3

export interface ChildEnd {
  /** In words. */
  readonly detail: string
  /** The sandbox ended before the program in it had begun: nobody's code did it. */
  readonly before: boolean
}

export interface ChildProcess {
  /** Of the process that runs the plugins; undefined until a sandbox has told it. */
  pid(): number | undefined
  readonly pipe: Duplex
  readonly ended: Promise<ChildEnd>
  kill(): void
  /** Waits until it ends by itself, for so long; then it is killed. */
  finish(graceMs: number): Promise<void>
}

export type StartChild = typeof startChild

/** What of the system a child needs. */
export interface ChildSystem {
  spawn(file: string, args: readonly string[], options: SpawnOptions): SystemProcess
  kill(pid: number, signal: NodeJS.Signals): unknown
  endTogether(child: SystemProcess, onTrouble: (detail: string) => void): void
}

const realSystem: ChildSystem = { spawn, kill: (pid, signal) => process.kill(pid, signal), endTogether }

/** Starts a child with an empty environment. Rejects when the program cannot be started. */
export async function startChild(
  { file, args, sandboxed }: ChildCommand,
  { cwd, clock, onLine }: { readonly cwd: string; readonly clock: Clock; readonly onLine: (line: string) => void },
  system: ChildSystem = realSystem,
): Promise<ChildProcess> {
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe', ...(sandboxed ? (['pipe'] as const) : [])] as const
  const child = system.spawn(file, args, { cwd, env: {}, stdio: [...stdio], windowsHide: true })
  const status = sandboxed ? readStatus(child.stdio[statusPipe] as Readable) : undefined
  let last = ''
  const ended = new Promise<ChildEnd>((resolve) => {
    child.once('close', (code, signal) => {
      const before = status !== undefined && signal === null && !status.hasBegun()
      if (before) resolve({ detail: `its sandbox could not be set up: ${last || `code ${code}`}`, before })
      else resolve({ detail: describeEnd(code, signal ?? (sandboxed ? signalOf(code) : null)), before })
    })
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) => reject(fail('PLUGIN_FAILED', { plugin: file, during: 'its start', detail: error.message })))
  })
  const note = (line: string): void => {
    last = line
    onLine(line)
  }
  // A sandbox ends with this process by itself.
  if (!sandboxed) system.endTogether(child, note)
  for (const output of [child.stdout, child.stderr]) if (output) readLines(output, note, clock)
  const kill = (): void => {
    // The first of a sandbox takes all others with it, whatever it has told the system about its parent; while bwrap runs, the number is its.
    const inner = child.exitCode === null && child.signalCode === null && !status?.hasBegun() ? status?.pid() : undefined
    if (inner !== undefined) endProcess(inner, system)
    child.kill('SIGKILL')
  }
  return {
    pid: () => (status ? status.pid() : child.pid),
    pipe: child.stdio[borderPipe] as Duplex,
    ended,
    kill,
    finish: async (graceMs) => {
      if (!(await isOverWithin({ clock, ms: graceMs }, ended))) kill()
      await ended
    },
  }
}

function endProcess(pid: number, { kill }: ChildSystem): void {
  try {
    kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function describeEnd(code: number | null, signal: string | null): string {
  return signal ? `its process was ended by ${signal}` : `its process ended with code ${code}`
}

/** A sandbox tells a signal in it by a code. */
function signalOf(code: number | null): string | null {
  const found = Object.entries(constants.signals).find(([, number]) => code === 128 + number)
  return found?.[0] ?? null
}

/** bwrap tells the number of the process, and how it ended once it had begun. */
function readStatus(pipe: Readable): { pid(): number | undefined; hasBegun(): boolean } {
  let text = ''
  pipe.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
  })
  return {
    pid: () => {
      const found = /"child-pid":\s*(\d+)/.exec(text)
      return found ? Number(found[1]) : undefined
    },
    hasBegun: () => text.includes('"exit-code"'),
  }
}
