import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/** The variable that all programs of a command inherit, also those that leave its group and lose their parent. */
export const markVariable = 'AGENT_COMMAND'

interface Row {
  readonly pid: number
  readonly parent: number
  readonly marked: boolean
}

/** The shell of a command, and whether it has ended: its number may belong to another process by then. */
export interface Root {
  readonly pid?: number | undefined
  readonly exitCode: number | null
  readonly signalCode: NodeJS.Signals | null
}

const mostRounds = 10

/** Ends everything that the command `root` started, by force. It looks again until nothing new is found, because they may start more meanwhile. */
export function killTree(root: Root, mark: string): void {
  const done = new Set<number>()
  for (let round = 0; round < mostRounds; round++) {
    const found = findTree(root, mark).filter((pid) => !done.has(pid))
    if (found.length === 0) return
    for (const pid of found) {
      done.add(pid)
      signal(pid, 'SIGKILL')
    }
  }
}

export function signalTree(root: Root, mark: string): void {
  for (const pid of findTree(root, mark)) signal(pid, 'SIGTERM')
}

/** The processes below `root` while it lives, and those that carry the mark, with what is below them. */
function findTree({ pid: root, exitCode, signalCode }: Root, mark: string): readonly number[] {
  const rows = readRows(mark)
  const below = new Set(rows.filter(({ marked }) => marked).map(({ pid }) => pid))
  if (root !== undefined && exitCode === null && signalCode === null) below.add(root)
  for (let before = -1; before !== below.size; ) {
    before = below.size
    for (const { pid, parent } of rows) if (below.has(parent)) below.add(pid)
  }
  return [...below].filter((pid) => pid !== root && pid !== process.pid)
}

function readRows(mark: string): readonly Row[] {
  const names = process.platform === 'linux' ? readdirSync('/proc').filter((name) => /^\d+$/.test(name)) : undefined
  if (names) return names.flatMap((name) => readRow(Number(name), `${markVariable}=${mark}`))
  const { stdout = '' } = spawnSync('/bin/ps', ['-Ao', 'pid=,ppid='], { encoding: 'utf8' })
  return [...(stdout ?? '').matchAll(/^\s*(\d+)\s+(\d+)/gm)].map(([, pid, parent]) => ({
    ...{ pid: Number(pid), parent: Number(parent), marked: false },
  }))
}

function readRow(pid: number, mark: string): readonly Row[] {
  try {
    // The name of a program, in brackets, may hold anything.
    const [, parent] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return [{ pid, parent: Number(parent), marked: isMarked(pid, mark) }]
  } catch {
    // It has ended meanwhile.
    return []
  }
}

function isMarked(pid: number, mark: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, 'latin1')}`.includes(`\0${mark}\0`)
  } catch {
    // It belongs to somebody else.
    return false
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended meanwhile, or belongs to somebody else.
  }
}
