import { readFileSync } from 'node:fs'

/** A process that is not mistaken for a later one of the same number. */
export interface ProcessIdentity {
  readonly pid: number
  /** Start of the process as the kernel counts it; empty where it cannot be read. */
  readonly started: string
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, started: startOf(pid) }
}

export function isAlive({ pid, started }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  return started === '' || startOf(pid) === started
}

/** Field 22 of /proc/<pid>/stat: clock ticks between the machine's boot and the start of the process. */
function startOf(pid: number): string {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    // Not Linux, or the process is gone: the pid alone has to do.
    return ''
  }
}
