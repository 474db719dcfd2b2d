import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { Duplex, Readable } from 'node:stream'
import { type Clock, isOverWithin, type PreparedCommand } from '@agent/plugin-sdk'
import { endTree, markVariable } from './end-tree.ts'
import { callPipe } from './pipes.ts'

export interface InterpreterStart {
  readonly prepared: PreparedCommand
  readonly environment: Readonly<Record<string, string>>
  readonly folder: string
}

export interface Exit {
  readonly code: number | null
  readonly signal: string | null
}

export interface StartedInterpreter {
  /** Its end of the pipe on which scripts call tools. */
  readonly link: Duplex
  /** Takes scripts, and answers each with how it ended. An interpreter that loses its other end ends with all of its group. */
  readonly orders: Duplex
  readonly output: Readable
  readonly errors: Readable
  /** How it ended, after its output was read. Rejects where it could not be started. */
  readonly ended: Promise<Exit>
  /** Ends it with all that it has started. */
  kill(): void
}

/** What a script leaves running may hold its output open; what was written before arrives well within this. */
export const drainMs = 200

export function startInterpreter({ prepared, environment, folder }: InterpreterStart, clock: Clock): StartedInterpreter {
  const { file, args, infoPipe } = prepared
  const mark = randomUUID()
  const child = spawn(file, [...args], {
    ...{ cwd: folder, env: { ...environment, [markVariable]: mark }, detached: true },
    stdio: ['ignore', 'pipe', 'pipe', infoPipe === callPipe - 1 ? 'pipe' : 'ignore', 'pipe', 'pipe'],
  })
  // Each of these is a pipe, as it says above.
  const [, output, errors, , link, orders] = child.stdio as readonly unknown[] as readonly [
    null,
    Readable,
    Readable,
    unknown,
    Duplex,
    Duplex,
  ]
  let isOver = false
  const kill = (): void => {
    // Its number may belong to another process by then.
    if (!isOver) endTree(child.pid, mark)
  }
  const read = Promise.all([output, errors].map(async (stream) => once(stream, 'close')))
  const ended = new Promise<Exit>((resolve, reject) => {
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
  // One that ends takes its end of the pipe with it.
  orders.on('error', () => undefined)
  return { link, orders, output, errors, ended, kill }
}
