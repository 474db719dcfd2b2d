import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCommandSandbox, type OpenCommandSandbox } from './command-sandbox.ts'

let place: string
let sandbox: OpenCommandSandbox
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'folders-'))
  sandbox = createCommandSandbox({
    ...{ level: async () => ({ works: true, kind: 'bwrap', program: '/bin/bwrap', flags: ['--flag'] }), environment: () => environment },
    settings: () => ({ sandbox: 'auto', network: 'off', writable: [], hidden: [] }),
    ...{ userHome: join(place, 'user'), homes: () => [], cache: join(place, 'cache'), temporary: place },
  })
})
afterEach(async () => {
  await sandbox.close()
  rmSync(place, { recursive: true, force: true })
})

const environment = { PATH: '/bin', SSH_AUTH_SOCK: '/run/agent', DISPLAY: ':0', LANG: 'C' }
const wish = (session: string) => ({ session, workspace: place, argv: ['/bin/sh', '-c', 'ls'] })
const folders = (): readonly string[] =>
  readdirSync(place).flatMap((name) => (name.startsWith('agent-sandbox-') ? readdirSync(join(place, name)) : []))

test('each conversation keeps its folder for temporary files; of more than two hundred the oldest loses it', async () => {
  for (let count = 0; count < 200; count++) await sandbox.prepare(wish(`s${count}`))
  await sandbox.prepare(wish('s0'))
  const before = folders()
  expect(before).toHaveLength(201)
  await sandbox.prepare(wish('s200'))
  await expect.poll(() => folders().length).toBe(201)
  await sandbox.prepare(wish('s0'))
  expect(folders()).toHaveLength(201)
  await sandbox.close()
  expect(readdirSync(place).filter((name) => name.startsWith('agent-sandbox-'))).toEqual([])
})

test('a program in the sandbox gets no way to the services of the user, and its own caches', async () => {
  const { file, args, environment: given, contained, infoPipe } = await sandbox.prepare(wish('s'))
  expect([file, args[0], args.slice(-4), contained, infoPipe]).toEqual(['/bin/bwrap', '--flag', ['--', '/bin/sh', '-c', 'ls'], true, 3])
  expect(given).toMatchObject({ PATH: '/bin', LANG: 'C', HOME: join(place, 'user'), TMPDIR: '/tmp', XDG_CACHE_HOME: join(place, 'cache') })
  expect(given).not.toHaveProperty('SSH_AUTH_SOCK')
  expect(given).not.toHaveProperty('DISPLAY')
  expect(existsSync(join(place, 'cache'))).toBe(true)
})

test('outside of the sandbox a program is what it is', async () => {
  expect(await sandbox.prepare({ ...wish('s'), outside: true })).toEqual({
    ...{ file: '/bin/sh', args: ['-c', 'ls'], environment, contained: false, infoPipe: null },
  })
})
