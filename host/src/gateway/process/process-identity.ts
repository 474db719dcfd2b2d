import { readFileSync } from 'node:fs'

/** A process that is not mistaken for a later one of the same number. */
export interface ProcessIdentity {
  readonly pid: number
  /** Start of the process as the kernel counts it; empty where it cannot be read. */
  readonly started: string
}

export function identifyProcess(pid: number): ProcessIdentity {
  return { pid, started: readStat(pid).started }
}

/** One that has ended and that nobody has asked about is not alive, though its number is taken still. */
export function isAlive({ pid, started }: ProcessIdentity): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const now = readStat(pid)
  return now.state !== 'Z' && (started === '' || now.started === started)
}

/** Fields 3 and 22 of /proc/<pid>/stat: the state, and the clock ticks between the machine's boot and the start of the process. */
function readStat(pid: number): { readonly state: string; readonly started: string } {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', started: fields[19] ?? '' }
  } catch {
    // Not Linux, or the process is gone: the pid alone has to do.
    return { state: '', started: '' }
  }
}
