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
import { browse, startOidcServer } from './oidc-server.ts'

test('eight processes that need a new token at once ask the server once, and all get it', async () => {
  await using server = await startOidcServer()
  const folder = mkdtempSync(join(tmpdir(), 'eight-'))
  const file = join(folder, 'auth.json')
  const { issuer, clientId } = server
  const scopes = ['openid', 'offline_access']
  const now = Date.now()
  const clock = { now: () => now, sleep: (ms: number) => (ms > 5000 ? new Promise<void>(() => undefined) : Promise.resolve()) }
  const { signal } = new AbortController()
  const show = ({ fullAddress = '' }): void => void browse(fullAddress)
  const { access, refresh = '' } = await deviceCode({ name: 'fake', issuer, clientId, scopes }, { clock, signal, show })
  keepLogin(file, 'fake', { kind: 'device-code', at: now, clientId, access, refresh, renewAt: now, expiresAt: now })
  const task = { file, manifest: { kind: 'device-code', issuer, clientId, scopes, renewSeconds: 120 } }
  await using program = await buildProgram(`import './renew-program.ts'`, import.meta.dirname)
  const children = Array.from({ length: 8 }, () => start(program.file, task))
  try {
    await Promise.all(children.map(({ lines }) => lines.next()))
    for (const { child } of children) child.stdin?.write('go\n')
    const tokens = await Promise.all(children.map(async ({ lines }) => (await lines.next()).value))
    const { logins } = readAuthFile(file)
    expect(new Set(tokens)).toEqual(new Set([logins.fake?.access]))
    expect(logins.fake).toMatchObject({ generation: 2, access: expect.not.stringMatching(access) })
    expect(server.grants.filter((grant) => grant === 'refresh_token')).toHaveLength(1)
  } finally {
    await Promise.all(children.map(({ child }) => end(child)))
    rmSync(folder, { recursive: true, force: true })
  }
})

function start(program: string, task: object) {
  const child = spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ['pipe', 'pipe', 'inherit'] })
  return { child, lines: createInterface({ input: child.stdout })[Symbol.asyncIterator]() }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const closed = once(child, 'exit')
  child.kill()
  await closed
}
