// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { isAlive } from './process-identity.ts'

test('one that has ended is not alive before somebody has asked how', async () => {
  // The shell becomes a program that asks nobody, before the other one ends.
  const parent = spawn('sh', ['-c', 'sleep 1 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = await once(parent.stdout, 'data')
  const pid = Number(line)
  await expect.poll(() => isAlive({ pid, started: '' }), { timeout: 20_000 }).toBe(false)
  expect(() => process.kill(pid, 0)).not.toThrow()
  parent.kill('SIGKILL')
})
