// @module-tag process
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { identifyProcess } from '../process/process-identity.ts'
import { lockCredential } from './credential-lock.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'agent-locks-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const lock = (credential: string, home = '/home/one', platform = 'chat') =>
  lockCredential({ folder, platform, label: 'Chat', name: 'CHAT_TOKEN', credential, home })
const files = () => readdirSync(folder)

test('one credential belongs to one gateway; the other learns whose it is', () => {
  const unlock = lock('token-1')
  const taken = expect.objectContaining({
    code: 'CREDENTIAL_IN_USE',
    message: `Another gateway on this machine uses this CHAT_TOKEN for Chat (pid ${process.pid}, /home/one). Stop it, or give this home another CHAT_TOKEN.`,
  })
  expect(() => lock('token-1', '/home/two')).toThrow(taken)
  lock('token-2', '/home/two')()
  lock('token-1', '/home/two', 'mail')()
  unlock()
  lock('token-1', '/home/two')()
  expect(files()).toEqual([])
})

test('the credential itself is not written down', () => {
  lock('secret-token')
  const [name = ''] = files()
  expect(name + readFileSync(join(folder, name), 'utf8')).not.toContain('secret-token')
})

test('a process that is gone, a pid that means another process now, and a file of nonsense hold nothing', async () => {
  const child = spawn(process.execPath, ['-e', ''])
  const gone = { ...identifyProcess(child.pid ?? 0), home: '/gone' }
  await once(child, 'exit')
  const unlock = lock('token')
  const file = join(folder, files()[0] ?? '')
  unlock()
  for (const text of [JSON.stringify(gone), JSON.stringify({ pid: process.pid, started: '1', home: '/old' }), '{"pid":', '']) {
    writeFileSync(file, text)
    lock('token')()
  }
  expect(files()).toEqual([])
})

test('who has lost the lock does not take it from the next', () => {
  const unlock = lock('token')
  const file = join(folder, files()[0] ?? '')
  writeFileSync(file, JSON.stringify({ ...identifyProcess(process.ppid), home: '/next' }))
  unlock()
  expect(() => lock('token')).toThrow(expect.objectContaining({ params: expect.objectContaining({ pid: process.ppid }) }))
})
