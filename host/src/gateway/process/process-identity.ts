import { readFileSync } from 'node:fs'

/** A process that is not mistaken for a later one of the same number. */
export interface ProcessIdentity {
  readonly pid: number
  /** Start of the process as the kernel counts it; empty where it cannot be read. */
  readonly started: string
}

/** What the system says of its processes. */
export interface ProcessTable {
  /** Throws where there is no such process, EPERM where it is somebody else's. */
  signal(pid: number): void
  /** /proc/<pid>/stat; throws where it cannot be read. */
  stat(pid: number): string
}

const system: ProcessTable = {
  signal: (pid) => void process.kill(pid, 0),
  stat: (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8'),
}

export function identifyProcess(pid: number, table: ProcessTable = system): ProcessIdentity {
  return { pid, started: readStat(pid, table).started }
}

/** One that has ended and that nobody has asked about is not alive, though its number is taken still. */
export function isAlive({ pid, started }: ProcessIdentity, table: ProcessTable = system): boolean {
  try {
    table.signal(pid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  const now = readStat(pid, table)
  return now.state !== 'Z' && (started === '' || now.started === started)
}

/** Fields 3 and 22 of /proc/<pid>/stat: the state, and the clock ticks between the machine's boot and the start of the process. */
function readStat(pid: number, table: ProcessTable): { readonly state: string; readonly started: string } {
  try {
    const text = table.stat(pid)
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0] ?? '', started: fields[19] ?? '' }
  } catch {
    // Not Linux, or the process is gone: the pid alone has to do.
    return { state: '', started: '' }
  }
}
