import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import { type Clock, isOverWithin, type PreparedCommand } from '@agent/plugin-sdk'
import { endTree, markVariable } from './end-tree.ts'
import { createHeadAndTail, type HeadAndTail } from './head-and-tail.ts'

export interface ScriptStart {
  readonly prepared: PreparedCommand
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
  /** What it reads. */
  readonly code: string
  readonly clock: Clock
}

export interface RunningScript {
  /** Its end of the pipe on which it calls tools. */
  readonly link: Duplex
  readonly output: Pick<HeadAndTail, 'text'>
  readonly errors: Pick<HeadAndTail, 'text'>
  /** How it ended, after its output was read. Rejects where it could not be started. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>
  /** Ends it with all that it has started. */
  kill(): void
}

/** Number of the pipe on which a script calls tools; the sandbox has the one before. */
export const callPipe = 4
const mostOutput = 50_000
const mostErrors = 10_000
/** What a script leaves running may hold its output open; what was written before arrives well within this. */
const drainMs = 200

export function startScript({ prepared, environment, folder, code, clock }: ScriptStart): RunningScript {
  const { file, args, infoPipe } = prepared
  const mark = randomUUID()
  const child = spawn(file, [...args], {
    ...{ cwd: folder, env: { ...environment, [markVariable]: mark }, detached: true },
    stdio: ['pipe', 'pipe', 'pipe', infoPipe === callPipe - 1 ? 'pipe' : 'ignore', 'pipe'],
  })
  const output = createHeadAndTail(mostOutput)
  const errors = createHeadAndTail(mostErrors)
  child.stdout?.setEncoding('utf8').on('data', (text: string) => output.push(text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => errors.push(text))
  // One that ends early reads no more.
  child.stdin?.on('error', () => undefined).end(code)
  let isOver = false
  const kill = (): void => {
    // Its number may belong to another process by then.
    if (!isOver) endTree(child.pid, mark)
  }
  const read = Promise.all([child.stdout, child.stderr].map(async (stream) => stream && once(stream, 'close')))
  const ended = new Promise<Awaited<RunningScript['ended']>>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => {
      // What it has started ends with it.
      kill()
      isOver = true
      void isOverWithin({ clock, ms: drainMs }, read).then(() => {
        for (const stream of child.stdio) stream?.destroy()
        resolve({ code, signal })
      })
    })
  })
  return { link: child.stdio[callPipe] as Duplex, output, errors, ended, kill }
}
