// @module-tag process
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fromWireError } from '@agent/plugin-sdk/errors'
import { createFakeClock, createSystemClock } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { specOf } from '#store/testing/jobs-contract.ts'
import { runScript } from './run-script.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'script-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const own = () => ({
  prepare: async ({ argv: [file = '', ...args] }: { readonly argv: readonly string[] }) => ({
    ...{ file, args, environment: { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' }, contained: false, infoPipe: null },
  }),
})

function jobOf(text: string) {
  const state = { state: 'scheduled', nextAt: 0, completed: 0, anchorAt: 0, createdAt: 0 } as const
  return { ...specOf({ timeoutSeconds: 30 }), id: 'job', ...state, script: { name: 'check.sh', text } }
}

const run = (text: string, more: object = {}, signal = new AbortController().signal) =>
  runScript({ commandSandboxes: { own }, workspace: () => folder, clock: createSystemClock(), ...more }, jobOf(text), signal)

test('what a script prints is the answer; it starts in the workspace, and nothing that it has started goes on', async () => {
  const { output, error } = await run('pwd\nsleep 600 &\necho $!')
  const [at, pid = ''] = output.split('\n')
  expect([at, error]).toEqual([folder, null])
  await expect.poll(() => isAlive(Number(pid)), { timeout: 10_000 }).toBe(false)
})

test.for([
  ['echo half\necho oops >&2\nexit 3', 'half', 'The script check.sh ended with exit code 3: oops.'],
  ['kill -9 $$', '', 'The script check.sh was ended by SIGKILL.'],
  ['#!/usr/bin/env python3\nraise SystemExit("no disk")', '', 'The script check.sh ended with exit code 1: no disk.'],
] as const)('%j fails, and its reason is told', async ([text, output, message]) => {
  const { error, ...end } = await run(text)
  expect(end).toEqual({ output, session: null, retryable: false })
  expect(error && fromWireError(error).message).toBe(message)
})

test('a script that cannot be started says so', async () => {
  expect(await run('#!/nowhere/sh\ntrue')).toMatchObject({
    error: { code: 'JOB_SCRIPT', params: { problem: expect.stringContaining('cannot be run') } },
  })
})

test('a script is ended after its time, and when the gateway stops', async () => {
  const clock = createFakeClock()
  const late = run('echo $$ > pid\nsleep 600', { clock })
  const pidOf = (): number => (existsSync(join(folder, 'pid')) ? Number(readFileSync(join(folder, 'pid'), 'utf8')) : 0)
  await expect.poll(() => clock.sleeping() === 1 && pidOf() > 0, { timeout: 10_000 }).toBe(true)
  await clock.advance(30_000)
  expect(await late).toMatchObject({ error: { code: 'TIMED_OUT' } })
  await expect.poll(() => isAlive(pidOf()), { timeout: 10_000 }).toBe(false)
  const stop = new AbortController()
  const broken = run('sleep 600', { clock }, stop.signal)
  await expect.poll(() => clock.sleeping(), { timeout: 10_000 }).toBe(1)
  stop.abort(new Error('stop'))
  expect(await broken).toMatchObject({ error: { code: 'INTERRUPTED' } })
})

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
