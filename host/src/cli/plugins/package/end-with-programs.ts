import type { ChildProcess } from 'node:child_process'
import { readChildren } from '#kernel/extension-host/process-readings.ts'

/**
 * Ends a process together with what it has started: a sandbox takes its program with it only once that has begun.
 * It is stopped first, so that it starts nothing more and keeps the numbers of its programs from becoming those of others.
 */
export function endWithPrograms(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGSTOP')
  for (const pid of readChildren(child.pid)) endProcess(pid)
  child.kill('SIGKILL')
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
