import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHome } from '../home/home.ts'
import { loadConfig } from '../load.ts'
import { changeAuthFile, readAuthFile } from './auth-file.ts'
import { findLogin, forgetLogin, keepLogin } from './auth-store.ts'
import { authFiles } from './logged-in.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'auth-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const login = { kind: 'device-code', at: 1, access: 'tok-access', refresh: 'tok-refresh' } as const

test('a login is kept for its owner alone, and forgotten again', () => {
  const file = join(root, 'auth.json')
  keepLogin(file, 'nous', login)
  keepLogin(file, 'nous', { ...login, access: 'tok-second' })
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(findLogin([file], 'nous')).toEqual({ file, login: { ...login, access: 'tok-second', generation: 2 } })
  expect(findLogin([file], 'toString')).toBeUndefined()
  expect([forgetLogin(file, 'nous'), forgetLogin(file, 'nous')]).toEqual([true, false])
  expect(readAuthFile(file).logins).toEqual({})
})

test('a profile uses the logins of the home around it, and its own first', async () => {
  mkdirSync(join(root, 'profiles', 'work'), { recursive: true })
  const home = openHome({ environment: { AGENT_HOME: root }, profile: 'work' })
  const [own = '', around = ''] = authFiles(home)
  expect([own, around]).toEqual([join(root, 'profiles', 'work', 'auth.json'), join(root, 'auth.json')])
  keepLogin(around, 'nous', login)
  expect(findLogin([own, around], 'nous')?.file).toBe(around)
  keepLogin(own, 'nous', { ...login, access: 'tok-own' })
  expect(findLogin([own, around], 'nous')?.login.access).toBe('tok-own')
  const { loggedIn, environment } = await loadConfig(home, {})
  expect([...loggedIn]).toEqual(['nous'])
  expect(environment.secrets()).toEqual(expect.arrayContaining(['tok-own', 'tok-access', 'tok-refresh']))
})

test('a file that others can read is named', async () => {
  const home = openHome({ environment: { AGENT_HOME: root } })
  keepLogin(home.files.auth, 'nous', login)
  expect((await loadConfig(home, {})).problems).toEqual([])
  chmodSync(root, 0o755)
  chmodSync(home.files.auth, 0o644)
  expect((await loadConfig(home, {})).problems).toMatchObject([{ file: home.files.auth, key: 'its rights', level: 'warning' }])
})

test.each([
  ['no JSON', '{"version": 1, "logins": {'],
  ['the list of a later version', '{"version": 2}'],
  ['a login of another shape', '{"version": 1, "logins": {"nous": {"kind": "magic"}}}'],
])('%s is named and never written over; the settings hold all the same', async (_, text) => {
  const home = openHome({ environment: { AGENT_HOME: root } })
  const file = home.files.auth
  writeFileSync(file, text)
  expect(() => keepLogin(file, 'nous', login)).toThrow(`${file} is no list of logins`)
  expect(() => forgetLogin(file, 'nous')).toThrow('move it away and log in again')
  expect(readFileSync(file, 'utf8')).toBe(text)
  const { problems, loggedIn } = await loadConfig(home, {})
  expect([problems.map(({ key, level }) => `${key} ${level}`), loggedIn.size]).toEqual([['auth.json warning'], 0])
})

test.each([
  ['a time that is no whole number', { expiresAt: 0.5 }, 'would not fit at logins.other.expiresAt'],
  ['a time beyond all numbers', { renewAt: 1e17 }, 'would not fit at logins.other.renewAt'],
  ['more than is read again', { access: 'x'.repeat(1_100_000) }, 'would be longer than 1048576 bytes'],
])('%s is not written, and the other logins stay', (_, change, said) => {
  const file = join(root, 'auth.json')
  keepLogin(file, 'nous', login)
  const before = readFileSync(file, 'utf8')
  expect(() => keepLogin(file, 'other', { ...login, ...change })).toThrow(`${file} was left as it is: it ${said}`)
  expect(readFileSync(file, 'utf8')).toBe(before)
  changeAuthFile(file, (data) => ({ data, result: undefined }))
  expect(Object.keys(readAuthFile(file).logins)).toEqual(['nous'])
})
