// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { type BuiltProgram, buildProgram } from '../../../../../test/support/child-program.ts'
import { runContained } from './run-contained.ts'

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

test('a sandbox that is ended before its program has begun leaves nothing behind', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'run-contained-'))
  const bwrap = join(folder, 'bwrap')
  // As bwrap in its first moments: what it started is in a session by itself, and does not end with it yet.
  await writeFile(bwrap, `#!/bin/sh\nsetsid sleep 300 & echo $! >${folder}/new; mv ${folder}/new ${folder}/pid; wait\n`)
  await chmod(bwrap, 0o755)
  const over = new AbortController()
  const level = { works: true, kind: 'bwrap', program: bwrap, flags: [] } as const
  const running = runContained({
    ...{ level, root: folder, program: '', task: {}, what: 'a look', ms: 600_000, clock: systemClock, signal: over.signal },
  })
  await expect.poll(() => existsSync(join(folder, 'pid')), bounded).toBe(true)
  const inner = Number(readFileSync(join(folder, 'pid'), 'utf8'))
  over.abort(new Error('no more'))
  await expect(running).rejects.toThrow('no more')
  await vi.waitFor(() => expect(() => process.kill(inner, 0)).toThrow('ESRCH'), bounded)
  await rm(folder, { recursive: true })
})
