import { randomUUID } from 'node:crypto'
import type { Clock, Notice } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { BackgroundProcess } from './background-process.ts'
import type { Exit } from './exit-words.ts'
import { noticeOf } from './notice-of.ts'
import { createRolling } from './output.ts'
import type { Running } from './start-command.ts'

export interface Processes {
  start(session: string, command: string, open: (onOutput: (text: string) => void) => Running): BackgroundProcess
  /** One of the session's own; another session's process does not exist for it. */
  find(session: string, id: string): BackgroundProcess | undefined
  list(session: string): readonly BackgroundProcess[]
  /** Remembers a command in the foreground; what it leaves running is ended on close. Call the result when the command ends. */
  track(running: Running): () => void
  close(): Promise<void>
}

const bufferLimit = 200_000
const finishedKept = 64

export function createProcesses(clock: Clock, notify: (notice: Notice) => void): Processes {
  const processes = new Map<string, BackgroundProcess>()
  const foreground = new Set<Running>()
  let closed = false

  function forgetOld(): void {
    const finished = [...processes.values()].filter((process) => process.exit)
    for (const process of finished.slice(0, Math.max(0, finished.length - finishedKept))) processes.delete(process.id)
  }

  return {
    start(session, command, open) {
      const output = createRolling(bufferLimit)
      const running = open((text) => output.push(text))
      const ended = running.ended.then(
        (exit) => settle(exit),
        (error: unknown) => {
          output.push(`could not be started: ${detailOf(error)}\n`)
          settle({ code: 127, signal: null })
        },
      )
      const id = `proc_${randomUUID().replaceAll('-', '').slice(0, 12)}`
      const process: BackgroundProcess = {
        id,
        pid: running.pid,
        session,
        command,
        startedAt: clock.now(),
        running,
        output,
        shown: 0,
        awaited: 0,
        ended,
      }
      const settle = (exit: Exit): void => {
        process.exit = exit
        if (!closed && process.awaited === 0) notify(noticeOf(process, clock.now()))
        if (running.alive()) foreground.add(running)
        forgetOld()
      }
      processes.set(id, process)
      notify(noticeOf(process, clock.now()))
      return process
    },
    find: (session, id) => {
      const process = processes.get(id)
      return process?.session === session ? process : undefined
    },
    list: (session) => [...processes.values()].filter((process) => process.session === session),
    track(running) {
      for (const earlier of foreground) if (!earlier.alive()) foreground.delete(earlier)
      foreground.add(running)
      return () => {
        if (!running.alive()) foreground.delete(running)
      }
    },
    async close() {
      closed = true
      const live = [...processes.values()].filter((process) => !process.exit).map((process) => process.running)
      await Promise.all([...live, ...foreground].map((running) => running.stop()))
      processes.clear()
      foreground.clear()
    },
  }
}
