// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type BuiltProgram, buildProgram } from '../../../../../test/support/child-program.ts'

const bounded = { timeout: 10_000, interval: 20 }

const agentCode = `
  import { systemClock } from '#kernel/clock.ts'
  import { runContained } from './run-contained.ts'
  const [root] = process.argv.slice(2)
  const program = "import { renameSync, writeFileSync } from 'node:fs'; writeFileSync('new', String(process.pid)); renameSync('new', 'pid'); for (;;);"
  const { signal } = new AbortController()
  await runContained({ level: undefined, root, program, task: {}, what: 'a look', ms: 600000, clock: systemClock, signal })
`

let program: BuiltProgram
beforeAll(async () => {
  program = await buildProgram(agentCode, import.meta.dirname)
})
afterAll(() => program[Symbol.asyncDispose]())

test('the code of a package that loops does not outlive an installation that is killed', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'run-contained-'))
  const agent = spawn(process.execPath, [program.file, folder], { stdio: ['ignore', 'ignore', 'inherit'] })
  await expect.poll(() => existsSync(join(folder, 'pid')), bounded).toBe(true)
  const looping = Number(readFileSync(join(folder, 'pid'), 'utf8'))
  expect(process.kill(looping, 0)).toBe(true)
  agent.kill('SIGKILL')
  await once(agent, 'exit')
  await vi.waitFor(() => expect(() => process.kill(looping, 0)).toThrow('ESRCH'), bounded)
  await rm(folder, { recursive: true })
})
