// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuiltProgram, buildProgram } from '../../../../test/support/child-program.ts'

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const agentCode = `
  import { systemClock } from '../clock.ts'
  import { startChild } from './child-process.ts'
  const args = ['-e', "console.log('loops'); for (;;);"]
  const command = { file: process.execPath, args, sandboxed: false, warnings: [] }
  const child = await startChild(command, { cwd: '/', clock: systemClock, onLine: () => console.log(child.pid()) })
  process.once('SIGTERM', () => child.kill())
  await child.ended
  console.log('ended')
`

let program: BuiltProgram
beforeAll(async () => {
  program = await buildProgram(agentCode, import.meta.dirname)
})
afterAll(() => program[Symbol.asyncDispose]())

/** An agent with a plain child that never looks up; both tell their numbers. */
async function startAgentWithLoop() {
  const agent = spawn(process.execPath, [program.file], { stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  const lines = createInterface({ input: agent.stdout })[Symbol.asyncIterator]()
  return { agent, child: Number((await lines.next()).value), lines }
}

const bounded = { timeout: 10_000, interval: 20 }

test.each(['itself', 'its group'])('a child in an endless loop does not outlive an agent when %s is killed', async (what) => {
  const { agent, child } = await startAgentWithLoop()
  expect(isAlive(child)).toBe(true)
  process.kill(what === 'itself' ? Number(agent.pid) : -Number(agent.pid), 'SIGKILL')
  await once(agent, 'exit')
  await expect.poll(() => isAlive(child), bounded).toBe(false)
})

test('what waits for the end of the agent keeps no agent from its end', async () => {
  const { agent, child, lines } = await startAgentWithLoop()
  agent.kill('SIGTERM')
  expect((await lines.next()).value).toBe('ended')
  expect([await once(agent, 'exit'), isAlive(child)]).toEqual([[0, null], false])
})
