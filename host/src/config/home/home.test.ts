import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHome } from './home.ts'
import { createProfile, deleteProfile, listProfiles, profileExists } from './profiles.ts'

let user: string
beforeEach(() => {
  user = mkdtempSync(join(tmpdir(), 'home-'))
})
afterEach(() => rmSync(user, { recursive: true, force: true }))

test('the home is ~/.agent, made for its owner alone', () => {
  const home = openHome({ environment: { HOME: user }, platform: 'linux' })
  expect(home).toMatchObject({ path: join(user, '.agent'), root: join(user, '.agent'), profile: 'default' })
  expect(home.files.config).toBe(join(user, '.agent', 'config.yaml'))
  expect(statSync(home.path).mode & 0o777).toBe(0o700)
})

test('on Windows it is a folder of the local application data', () => {
  const home = openHome({ environment: { HOME: user, LOCALAPPDATA: join(user, 'Local') }, platform: 'win32', create: false })
  expect(home.path).toBe(join(user, 'Local', 'agent'))
})

test('a legacy home is kept while the new one does not exist', () => {
  mkdirSync(join(user, '.agent-agent'))
  expect(openHome({ environment: { HOME: user } }).path).toBe(join(user, '.agent-agent'))
  mkdirSync(join(user, '.agent'))
  expect(openHome({ environment: { HOME: user } }).path).toBe(join(user, '.agent'))
})

test('-p beats AGENT_HOME beats the sticky profile', () => {
  const root = join(user, '.agent')
  for (const name of ['work', 'sticky']) createProfile({ HOME: user }, name)
  writeFileSync(join(root, 'active_profile'), 'sticky\n')
  expect(openHome({ environment: { HOME: user } }).profile).toBe('sticky')
  expect(openHome({ environment: { HOME: user }, profile: 'work' }).path).toBe(join(root, 'profiles', 'work'))
  expect(openHome({ environment: { HOME: user }, profile: 'default' }).path).toBe(root)
  expect(openHome({ environment: { AGENT_HOME: root } }).profile).toBe('default')
  const inProfile = { AGENT_HOME: join(root, 'profiles', 'work') }
  expect(openHome({ environment: inProfile })).toMatchObject({ profile: 'work', root })
  expect(openHome({ environment: inProfile, profile: 'sticky' }).path).toBe(join(root, 'profiles', 'sticky'))
})

test('an unknown, wrong or unusable home is refused in words', () => {
  expect(() => openHome({ environment: { HOME: user }, profile: 'nobody' })).toThrow('There is no profile named "nobody"')
  const refusal = { code: 'PROFILE_NAME_INVALID', message: expect.stringContaining('"../up" cannot be a profile name') }
  expect(() => openHome({ environment: { HOME: user }, profile: '../up' })).toThrow(expect.objectContaining(refusal))
  writeFileSync(join(user, 'file'), '')
  expect(() => openHome({ environment: { AGENT_HOME: join(user, 'file') } })).toThrow('cannot be used')
})

test('profiles are listed, made once and deleted with everything in them', () => {
  const environment = { HOME: user }
  expect(listProfiles(environment).map((row) => row.name)).toEqual(['default'])
  const home = createProfile(environment, 'work')
  expect(statSync(home.path).mode & 0o777).toBe(0o700)
  expect(() => createProfile(environment, 'work')).toThrow('already')
  expect(() => createProfile(environment, 'default')).toThrow('already')
  writeFileSync(join(home.root, 'active_profile'), 'work')
  expect(listProfiles(environment)).toMatchObject([
    { name: 'default', active: false },
    { name: 'work', active: true },
  ])
  writeFileSync(home.files.gatewayPid, String(process.pid))
  expect(() => deleteProfile(environment, 'work')).toThrow('is running')
  rmSync(home.files.gatewayPid)
  deleteProfile(environment, 'work')
  expect(profileExists(environment, 'work')).toBe(false)
  expect(openHome({ environment }).profile).toBe('default')
  expect(() => deleteProfile(environment, 'default')).toThrow('cannot be deleted')
  expect(() => deleteProfile(environment, 'gone')).toThrow('no profile')
})
