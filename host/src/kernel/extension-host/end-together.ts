import { type ChildProcess, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { detailOf } from '@agent/plugin-sdk/errors'

/**
 * Ends a process that may never look at its pipe when this one is gone, also when this one was killed: a shell waits for the end of a
 * pipe whose other end is held here only. It has its own group, so that what ends this group leaves it its last act.
 */
export function endTogether(child: ChildProcess, onTrouble: (detail: string) => void, start = spawn): void {
  if (child.pid === undefined || process.platform === 'win32') return
  const watcher = start('/bin/sh', ['-c', 'read -r end; kill -9 "$1"', 'agent-watch', String(child.pid)], {
    ...{ cwd: '/', env: {}, detached: true, stdio: ['pipe', 'ignore', 'ignore'] },
  })
  watcher.once('error', (error) => onTrouble(`it would outlive an agent that is killed: ${detailOf(error)}`))
  watcher.unref()
  const pipe = watcher.stdin as Socket | null
  pipe?.on('error', () => undefined)
  pipe?.unref()
  // The number of a process that has ended may become another's.
  child.once('exit', () => watcher.kill('SIGKILL'))
}
