// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { identifyProcess, isAlive } from './process-identity.ts'

test('a process is alive by its number and its start', () => {
  const own = identifyProcess(process.pid)
  expect([
    isAlive(own),
    isAlive({ ...own, started: '' }),
    isAlive({ ...own, started: '1' }),
    isAlive({ pid: 2 ** 22 + 1, started: '' }),
  ]).toEqual([true, true, false, false])
})

test('one that has ended is not alive before somebody has asked how', async () => {
  // The shell becomes a program that asks nobody, before the other one ends.
  const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = await once(parent.stdout, 'data')
  const pid = Number(line)
  await expect.poll(() => isAlive({ pid, started: '' }), { timeout: 20_000 }).toBe(false)
  expect(() => process.kill(pid, 0)).not.toThrow()
  parent.kill('SIGKILL')
})
