// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { killTree, type Root } from './process-tree.ts'

/** A process with a child, which tells the child's number and then waits. */
async function startPair() {
  const parent = spawn('sh', ['-c', 'sleep 60 & echo $!; wait'], { stdio: ['ignore', 'pipe', 'ignore'] })
  const [line] = await once(parent.stdout, 'data')
  return { parent, child: Number(String(line)) }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('what a command started ends with it, but not what is below another process that has its number since', async () => {
  const { parent, child } = await startPair()
  const ended: Root = { pid: parent.pid, exitCode: 0, signalCode: null }
  killTree(ended, 'no-such-mark')
  expect(isAlive(child)).toBe(true)
  killTree(parent, 'no-such-mark')
  await expect.poll(() => isAlive(child), { timeout: 10_000, interval: 20 }).toBe(false)
  parent.kill('SIGKILL')
})
