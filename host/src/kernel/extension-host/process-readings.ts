import { readdirSync, readFileSync } from 'node:fs'

/** The processes below another one, however far. */
export interface Programs {
  readonly count: number
  /** Resident memory that belongs to no file. */
  readonly bytes: number
}

/** Undefined where the system does not tell. */
export function readMemory(pid: number): number | undefined {
  const found = /^VmRSS:\s+(\d+) kB/m.exec(readProcess(pid, 'status'))
  return found ? Number(found[1]) * 1024 : undefined
}

/** Of the main thread only: the others do not keep it from answering. Undefined where the system does not tell. */
export function readProcessor(pid: number): number | undefined {
  const [nanoseconds] = readProcess(pid, 'schedstat').split(' ')
  return nanoseconds ? Number(nanoseconds) / 1e6 : undefined
}

/** None where the system does not tell. */
export function readPrograms(pid: number): Programs {
  const found = childrenOf(pid)
  let bytes = 0
  // It grows while it is walked.
  for (const each of found) {
    found.push(...childrenOf(each))
    for (const [, kilobytes] of readProcess(each, 'status').matchAll(/^Rss(?:Anon|Shmem):\s+(\d+) kB/gm)) bytes += Number(kilobytes) * 1024
  }
  return { count: found.length, bytes }
}

function childrenOf(pid: number): number[] {
  const threads = orNone(() => readdirSync(`/proc/${pid}/task`), [])
  return threads.flatMap((thread) => readProcess(pid, `task/${thread}/children`).split(' ').filter(Boolean).map(Number))
}

/** Empty where there is no such process or file. */
function readProcess(pid: number, file: string): string {
  return orNone(() => readFileSync(`/proc/${pid}/${file}`, 'latin1'), '')
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
