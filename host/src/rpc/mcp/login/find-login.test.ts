import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openHome } from '#config/home/home.ts'
import { openTestHome } from '../../../../../test/support/test-home.ts'
import { findServerLogin } from './find-login.ts'

const url = 'https://desk.example/mcp'
const service = { url, issuer: 'https://i.example', tokenUrl: 'https://i.example/t', resource: url }
const kept = { kind: 'pkce', at: 1, generation: 1, clientId: 'x', access: 'secret', service }

test.each<[string, object, object]>([
  ['good', { expiresAt: 2000, refresh: 'r' }, { state: 'good', detail: 'good until 1970-01-01T00:00:02.000Z, and renewed' }],
  ['over, and renewed when it is used', { expiresAt: 500, refresh: 'r' }, { state: 'renews' }],
  ['over', { expiresAt: 500 }, { state: 'ended', detail: 'over since 1970-01-01T00:00:00.500Z' }],
  ['ended', { ended: 'invalid_grant' }, { state: 'ended', detail: 'invalid_grant' }],
  [
    'made with another address',
    { service: { ...service, url: 'https://old.example/mcp?key=hush' } },
    { state: 'ended', detail: 'it was made with another address, https://old.example' },
  ],
])('a login that is %s is told so, without its secrets', (_name, more, expected) => {
  using home = openTestHome()
  home.write('auth.json', JSON.stringify({ version: 1, logins: { 'mcp:desk': { ...kept, ...more } } }))
  const open = openHome({ environment: home.environment, profile: undefined, create: false })
  const found = findServerLogin(open, 'desk', url, 1000)
  expect(found).toMatchObject({ inherited: false, ...expected })
  expect(JSON.stringify(found)).not.toContain('secret')
  expect(findServerLogin(open, 'other', url, 1000)).toEqual({ state: 'none', detail: '', inherited: false })
})

test('that of the home around a profile holds for it, until it has one', () => {
  using home = openTestHome()
  home.write('auth.json', JSON.stringify({ version: 1, logins: { 'mcp:desk': kept } }))
  home.write('profiles/work/config.yaml', '{}')
  const open = openHome({ environment: home.environment, profile: 'work', create: false })
  expect(findServerLogin(open, 'desk', url, 1000)).toMatchObject({ state: 'good', inherited: true })
  home.write(join('profiles/work', 'auth.json'), JSON.stringify({ version: 1, logins: { 'mcp:desk': { ...kept, ended: 'x' } } }))
  expect(findServerLogin(open, 'desk', url, 1000)).toMatchObject({ state: 'ended', inherited: false })
})
