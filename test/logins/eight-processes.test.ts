// @module-tag process
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { deviceCode } from '@agent/plugin-sdk/oauth'
import { expect, test } from 'vitest'
import { readAuthFile } from '../../host/src/config/auth/auth-file.ts'
import { keepLogin } from '../../host/src/config/auth/auth-store.ts'
import { buildProgram } from '../support/child-program.ts'
import { browse, type OidcServer, startOidcServer } from './oidc-server.ts'

test('eight processes that need a new token at once ask the server once, and all get it', async () => {
  await using server = await startOidcServer()
  await using eight = await startEight(server, 1)
  eight.go()
  const tokens = await Promise.all(eight.children.map(({ token }) => token()))
  const login = eight.login()
  expect(new Set(tokens)).toEqual(new Set([login?.access]))
  expect(login).toMatchObject({ generation: 2, access: expect.not.stringMatching(eight.access) })
  expect(server.grants.filter((grant) => grant === 'refresh_token')).toHaveLength(1)
})

test('where the one that renews is killed, one of the others takes over when its lease is over, and all seven get the token', async () => {
  await using server = await startOidcServer()
  await using eight = await startEight(server, 4)
  const held = server.hold()
  eight.go()
  await held
  const owner = eight.login()?.lease?.owner
  const killed = eight.children.find(({ child }) => `${child.pid}` === owner)
  expect(killed).toBeDefined()
  killed?.child.kill('SIGKILL')
  const tokens = await Promise.all(eight.children.filter((one) => one !== killed).map(({ token }) => token()))
  const login = eight.login()
  expect([new Set(tokens), tokens.length]).toEqual([new Set([login?.access]), 7])
  expect(login).toMatchObject({ generation: 2, access: expect.not.stringMatching(eight.access) })
  expect(login?.lease).toBeUndefined()
  // The one that was never answered, and the one of who took over.
  expect(server.grants.filter((grant) => grant === 'refresh_token')).toHaveLength(2)
})

/** Eight processes with one login that has run out; their clock runs so many times as fast as ours. */
async function startEight({ issuer, clientId }: OidcServer, speed: number) {
  const folder = mkdtempSync(join(tmpdir(), 'eight-'))
  const file = join(folder, 'auth.json')
  const scopes = ['openid', 'offline_access']
  const since = Date.now()
  const clock = { now: () => since, sleep: (ms: number) => (ms > 5000 ? new Promise<void>(() => undefined) : Promise.resolve()) }
  const { signal } = new AbortController()
  const show = ({ fullAddress = '' }): void => void browse(fullAddress)
  const { access, refresh = '' } = await deviceCode({ name: 'fake', issuer, clientId, scopes }, { clock, signal, show })
  keepLogin(file, 'fake', { kind: 'device-code', at: since, clientId, access, refresh, renewAt: since, expiresAt: since })
  const task = { file, speed, since, manifest: { kind: 'device-code', issuer, clientId, scopes, renewSeconds: 120 } }
  const program = await buildProgram(`import './renew-program.ts'`, import.meta.dirname)
  const children = Array.from({ length: 8 }, () => start(program.file, task))
  await Promise.all(children.map(({ lines }) => lines.next()))
  return {
    children,
    access,
    login: () => readAuthFile(file).logins.fake,
    go() {
      for (const { child } of children) child.stdin?.write('go\n')
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(children.map(({ child }) => end(child)))
      await program[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function start(program: string, task: object) {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return { child, lines, token: async (): Promise<string> => String((await lines.next()).value) }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'exit')
  child.kill()
  await closed
}
