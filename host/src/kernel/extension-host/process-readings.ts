import { readdirSync, readFileSync } from 'node:fs'

/** The processes below another one, however far. */
export interface Programs {
  readonly count: number
  /** Resident memory that belongs to no file. */
  readonly bytes: number
}

/** Where the system tells of its processes. */
const system = '/proc'

/** Undefined where the system does not tell. */
export function readMemory(pid: number, proc = system): number | undefined {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(readProcess(proc, pid, 'status'))
  return found ? Number(found[1]) * 1024 : undefined
}

/** Of the main thread only: the others do not keep it from answering. Undefined where the system does not tell. */
export function readProcessor(pid: number, proc = system): number | undefined {
  const [nanoseconds] = readProcess(proc, pid, 'schedstat').split(' ')
  return nanoseconds ? Number(nanoseconds) / 1e6 : undefined
}

/** None where the system does not tell. */
export function readPrograms(pid: number, proc = system): Programs {
  const found = childrenOf(proc, pid)
  let bytes = 0
  // It grows while it is walked.
  for (const each of found) {
    found.push(...childrenOf(proc, each))
    for (const [, kilobytes] of readProcess(proc, each, 'status').matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB/gm))
      bytes += Number(kilobytes) * 1024
  }
  return { count: found.length, bytes }
}

/** The numbers of what a process has started itself and that has not ended; none where the system does not tell. */
export function readChildren(pid: number, proc = system): readonly number[] {
  return childrenOf(proc, pid)
}

function childrenOf(proc: string, pid: number): number[] {
  const threads = orNone(() => readdirSync(`${proc}/${pid}/task`), [])
  return threads.flatMap((thread) => readProcess(proc, pid, `task/${thread}/children`).split(' ').filter(Boolean).map(Number))
}

/** Empty where there is no such process or file. */
function readProcess(proc: string, pid: number, file: string): string {
  return orNone(() => readFileSync(`${proc}/${pid}/${file}`, 'latin1'), '')
}

/** What ended is not there any more. */
function orNone<T>(read: () => T, none: T): T {
  try {
    return read()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return none
    throw error
  }
}
