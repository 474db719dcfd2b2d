// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'

const bounded = { timeout: 10_000, interval: 20 }

const agentCode = `
  import { systemClock } from '#kernel/clock.ts'
  import { runContained } from './run-contained.ts'
  const [root] = process.argv.slice(2)
  const program = "import { renameSync, writeFileSync } from 'node:fs'; writeFileSync('new', String(process.pid)); renameSync('new', 'pid'); for (;;);"
  const { signal } = new AbortController()
  await runContained({ level: undefined, root, program, task: {}, what: 'a look', ms: 600000, clock: systemClock, signal })
`

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-contained-'))
  await build({
    stdin: { contents: agentCode, resolveDir: import.meta.dirname, loader: 'ts' },
    ...{
      outfile: join(folder, 'agent.mjs'),
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['agent-source'],
      logLevel: 'silent',
    },
  })
})
afterAll(() => rm(folder, { recursive: true }))

test('the code of a package that loops does not outlive an installation that is killed', async () => {
  const agent = spawn(process.execPath, [join(folder, 'agent.mjs'), folder], { stdio: ['ignore', 'ignore', 'inherit'] })
  await expect.poll(() => existsSync(join(folder, 'pid')), bounded).toBe(true)
  const looping = Number(readFileSync(join(folder, 'pid'), 'utf8'))
  expect(process.kill(looping, 0)).toBe(true)
  agent.kill('SIGKILL')
  await once(agent, 'exit')
  await vi.waitFor(() => expect(() => process.kill(looping, 0)).toThrow('ESRCH'), bounded)
})
