import { readdirSync, readFileSync } from 'node:fs'

/** The variable by which what a script has started is found again, also where it has left the group and lost its parent. */
export const markVariable = 'AGENT_SCRIPT'

const mostRounds = 10

/**
 * Ends a program with all that it has started, by force. Its group is stopped before, so that nothing new begins meanwhile; a sandbox that is just being
 * made has a first process that has left the group. It looks again until nothing new is found. The terminal has the same for its commands: a plugin
 * imports nothing of another one.
 */
export function endTree(pid: number | undefined, mark: string): void {
  if (pid === undefined) return
  send(-pid, 'SIGSTOP')
  const done = new Set<number>()
  for (let round = 0; round < mostRounds; round++) {
    const found = findTree(pid, mark).filter((each) => !done.has(each))
    if (found.length === 0) break
    for (const each of found) {
      done.add(each)
      send(each, 'SIGKILL')
    }
  }
  send(-pid, 'SIGKILL')
}

/** The processes below the program, and those that carry the mark, with what is below them. */
function findTree(pid: number, mark: string): readonly number[] {
  return [...new Set([...below(pid), ...markedBy(mark).flatMap((each) => [each, ...below(each)])])]
}

function markedBy(mark: string): readonly number[] {
  if (process.platform !== 'linux') return []
  const wanted = `${markVariable}=${mark}`
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && environmentOf(name).includes(wanted))
    .map(Number)
}

function environmentOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').split('\0')
  } catch {
    // It has ended meanwhile, or belongs to somebody else.
    return []
  }
}

/** The processes that a process has started, and those of these. */
function below(pid: number): readonly number[] {
  const found = childrenOf(pid)
  return [...found, ...found.flatMap(below)]
}

function childrenOf(pid: number): readonly number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
      .split(' ')
      .filter((each) => each.trim() !== '')
      .map(Number)
  } catch {
    // It has ended, or this is no Linux.
    return []
  }
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended meanwhile.
  }
}
