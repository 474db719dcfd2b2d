import { spawn } from 'node:child_process'
import type { Duplex, Readable } from 'node:stream'
import { type Clock, isOverWithin } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type ChildCommand, infoPipe } from './child-command.ts'
import { readLines } from './log-lines.ts'

const borderPipe = 3

export interface ChildProcess {
  /** Of the process that runs the plugins; undefined until a sandbox has told it. */
  pid(): number | undefined
  readonly pipe: Duplex
  /** Resolves with how it ended, in words. */
  readonly ended: Promise<string>
  kill(): void
  /** Waits until it ends by itself, for so long; then it is killed. */
  finish(graceMs: number): Promise<void>
}

export type StartChild = typeof startChild

/** Starts a child with an empty environment. Rejects when the program cannot be started. */
export async function startChild(
  { file, args, tellsPid }: ChildCommand,
  { cwd, clock, onLine }: { readonly cwd: string; readonly clock: Clock; readonly onLine: (line: string) => void },
): Promise<ChildProcess> {
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe', ...(tellsPid ? (['pipe'] as const) : [])] as const
  const child = spawn(file, [...args], { cwd, env: {}, stdio: [...stdio], windowsHide: true })
  const ended = new Promise<string>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ? `its process was ended by ${signal}` : `its process ended with code ${code}`))
  })
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', (error) => reject(fail('PLUGIN_FAILED', { plugin: file, during: 'its start', detail: error.message })))
  })
  for (const output of [child.stdout, child.stderr]) if (output) readLines(output, onLine)
  let pid = tellsPid ? undefined : child.pid
  if (tellsPid) readPid(child.stdio[infoPipe] as Readable, (number) => (pid = number))
  const kill = (): void => {
    child.kill('SIGKILL')
  }
  return {
    pid: () => pid,
    pipe: child.stdio[borderPipe] as Duplex,
    ended,
    kill,
    finish: async (graceMs) => {
      if (!(await isOverWithin({ clock, ms: graceMs }, ended))) kill()
      await ended
    },
  }
}

function readPid(info: Readable, onPid: (pid: number) => void): void {
  let text = ''
  info.setEncoding('utf8').on('data', (piece: string) => {
    text += piece
    const found = /"child-pid":\s*(\d+)/.exec(text)
    if (found) onPid(Number(found[1]))
  })
}
