// @module-tag server
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { aliasFolder, beginningFor } from '#config/alias-programs.ts'
import { proves } from '../../../../test/spec/proves.ts'
import { openTestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'

test('a profile is made, listed and deleted; a name that is a command is refused', async () => {
  await using dashboard = await openTestDashboard()
  const made = await dashboard.ask('POST', '/api/profiles', { body: { name: 'work' } })
  expect(made.body.profiles).toMatchObject([
    { name: 'default', current: true, running: false },
    { name: 'work', current: false },
  ])
  expect((await dashboard.ask('POST', '/api/profiles', { body: { name: 'chat' } })).status).toBe(400)
  const program = join(aliasFolder(dashboard.home.environment), 'work')
  mkdirSync(dirname(program), { recursive: true })
  writeFileSync(program, beginningFor({ root: dashboard.home.home, profile: 'work' }))
  expect((await dashboard.ask('DELETE', '/api/profiles', { body: { name: 'work' } })).body.profiles).toMatchObject([{ name: 'default' }])
  expect(existsSync(program)).toBe(false)
})

proves('dashboard.profile.scope', 'the profile of the body holds before that of the query', async () => {
  await using dashboard = await openTestDashboard()
  await dashboard.ask('POST', '/api/profiles', { body: { name: 'work' } })
  const { body } = await dashboard.ask('POST', '/api/profiles?profile=default', { body: { name: 'play', profile: 'work' } })
  expect(body.profiles).toMatchObject([{ current: false }, { name: 'play', current: false }, { name: 'work', current: true }])
})

test('a home without conversations and without people has empty lists, and a wrong code is refused', async () => {
  await using dashboard = await openTestDashboard()
  expect((await dashboard.ask('GET', '/api/sessions?limit=5')).body).toEqual({ sessions: [], more: false })
  expect((await dashboard.ask('GET', '/api/sessions/nothing/messages')).status).toBe(404)
  expect((await dashboard.ask('GET', '/api/sessions?limit=x')).body.error).toMatchObject({ fields: { limit: 'does not fit' } })
  expect((await dashboard.ask('GET', '/api/pairing')).body).toEqual({ pending: [], allowed: [] })
  expect((await dashboard.ask('POST', '/api/pairing/approve', { body: { platform: 'nowhere', code: 'AAAA' } })).status).toBeGreaterThan(399)
})
