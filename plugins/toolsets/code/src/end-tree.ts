import { readFileSync } from 'node:fs'

/**
 * Ends a program with all that it has started, by force. Its group is stopped before, so that nothing new begins meanwhile; a sandbox that is just being
 * made has a first process that has left the group.
 */
export function endTree(pid: number | undefined): void {
  if (pid === undefined) return
  send(-pid, 'SIGSTOP')
  for (const each of below(pid)) send(each, 'SIGKILL')
  send(-pid, 'SIGKILL')
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
