// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { needs } from '../../../../../test/support/needs.ts'
import { endTree, markVariable } from './end-tree.ts'

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const linux = needs(process.platform === 'linux' ? undefined : 'This is no Linux, whose /proc knows the environment of a process.')

test('what hides its environment ends with the marked process that started it', linux, async () => {
  // The program is over; what it left has its own session, and below that is one without the mark.
  const left = 'setsid sh -c "env -i sleep 60 & echo \\$!; wait" &'
  const parent = spawn('sh', ['-c', left], {
    ...{ stdio: ['ignore', 'pipe', 'ignore'], detached: true },
    env: { PATH: process.env.PATH, [markVariable]: 'end-tree-test' },
  })
  const [line] = await once(parent.stdout, 'data')
  const hidden = Number(String(line))
  expect(isAlive(hidden)).toBe(true)
  endTree(parent.pid, 'end-tree-test')
  await expect.poll(() => isAlive(hidden), { timeout: 10_000, interval: 20 }).toBe(false)
})
