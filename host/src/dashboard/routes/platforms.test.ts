// @module-tag server
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { proves } from '../../../../test/spec/proves.ts'
import { addPostOffice } from '../../../../test/support/gateways/post-office.ts'
import { openTestDashboard, type TestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'
import type { TestHome } from '../../../../test/support/test-home.ts'
import type { PlatformList } from '../api.ts'

const imported = (home: TestHome): string => readFileSync(join(home.folder, 'post.jsonl'), 'utf8')

/** A platform that somebody else has made; its module notes when it is loaded. */
function addForeign(home: TestHome): void {
  addPostOffice(home)
  const file = join(home.home, 'plugins', 'local', 'platform-post', 'dist', 'platform.js')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('\nconst coded', `\nappendFileSync(files.sent, 'loaded')\nconst coded`))
}

const open = (prepare = addForeign) => openTestDashboard({ prepare })
const list = async (dashboard: TestDashboard) => {
  const { text } = await dashboard.ask('GET', '/api/messaging/platforms')
  const { platforms } = JSON.parse(text) as PlatformList
  return { text, platforms, post: platforms.find(({ platform }) => platform === 'post') }
}
const put = (dashboard: TestDashboard, body: object) => dashboard.ask('PUT', '/api/messaging/platforms/post', { body })

proves(
  ['dashboard.platforms.list', 'platform-entry.catalog', 'platform-entry.fields'],
  'a platform of somebody else stands there with its form, and none of its modules is loaded',
  async () => {
    await using dashboard = await open()
    const { platforms, post } = await list(dashboard)
    expect(platforms.map(({ platform }) => platform)).toEqual(expect.arrayContaining(['irc', 'post', 'telegram']))
    expect(post).toMatchObject({
      ...{ name: 'Post', plugin: 'platform-post', bundled: false, state: 'stopped', configured: false, needsAttention: false, extra: {} },
      schema: { properties: { counters: { type: 'integer' } } },
      guidance: expect.stringContaining('POST_ALLOWED_USERS'),
    })
    expect(post?.env.map(({ name, required, secret, set }) => [name, required, secret, set]).slice(0, 2)).toEqual([
      ['POST_TOKEN', true, true, false],
      ['POST_BRANCH', false, false, false],
    ])
    expect(post?.env.map(({ name }) => name)).toEqual(expect.arrayContaining(['POST_ALLOWED_USERS', 'POST_HOME_CHANNEL']))
    expect(post && 'enabled' in post).toBe(false)
    expect(imported(dashboard.home)).toBe('')
  },
)

proves(
  ['dashboard.platforms.save', 'platform-entry.secrets', 'platform-entry.enabled'],
  'secrets go to the environment file, the switch and the rest to the configuration',
  async () => {
    await using dashboard = await open((home) => {
      addForeign(home)
      home.write('config.yaml', '# mine\nplatforms:\n  post:\n    allow_from: [ann] # people\n')
      home.write('.env', 'POST_BRANCH=north\n')
    })
    const wish = { enabled: true, env: { POST_TOKEN: 'right-and-secret' }, clear_env: ['POST_BRANCH'], extra: { counters: 3 } }
    const saved = await put(dashboard, wish)
    expect(saved).toMatchObject({ status: 200, body: { live: false, said: expect.arrayContaining(['Post is switched on.']) } })
    expect(dashboard.home.read('.env')).toBe('POST_TOKEN=right-and-secret\n')
    const written = dashboard.home.read('config.yaml')
    expect(written).toContain('# mine\n')
    expect(written).toContain('# people\n')
    expect(parse(written)).toMatchObject({
      platforms: { post: { allow_from: ['ann'], enabled: true, extra: { counters: 3 } } },
      plugins: { entries: { 'platform-post': { enabled: true } } },
    })
    const { text, post } = await list(dashboard)
    expect(saved.text + text).not.toContain('right-and-secret')
    expect(post).toMatchObject({ enabled: true, configured: true, extra: { counters: 3 } })
    // Off stays off, whatever the variables say, and what was filled in stays.
    await put(dashboard, { enabled: false })
    const off = (await list(dashboard)).post
    expect(off).toMatchObject({ enabled: false, configured: true, state: 'stopped', extra: { counters: 3 } })
    expect(off && 'problem' in off).toBe(false)
    expect(imported(dashboard.home)).toBe('')
  },
)

test('where anything is at fault, each fault stands beside its field and nothing is written', async () => {
  await using dashboard = await open()
  const faulty = [
    [{ env: { POST_TOKEN: 'x' }, enabled: true, extra: { counters: 'many' } }, 'counters'],
    [{ env: { POST_BRANCH: 'north' }, enabled: true }, 'POST_TOKEN'],
    [{ env: { POST_TOKEN: 'x', IRC_SERVER: 'elsewhere' } }, 'IRC_SERVER'],
    [{ env: { POST_TOKEN: 'x', POST_ALLOW_ALL_USERS: 'perhaps' } }, 'POST_ALLOW_ALL_USERS'],
    [{ env: { POST_TOKEN: 'x' }, extra: { 'a.b': 1 } }, 'a.b'],
    [{ env: { POST_TOKEN: 'x' }, more: 1 }, 'more'],
  ] as const
  for (const [wish, field] of faulty) {
    const { status, body } = await put(dashboard, wish)
    expect([field, status, body.error]).toMatchObject([field, 400, { fields: { [field]: expect.any(String) } }])
  }
  const unknown = await dashboard.ask('PUT', '/api/messaging/platforms/pots', { body: { enabled: true } })
  expect([unknown.status, unknown.text]).toEqual([404, expect.stringContaining('post')])
  expect(() => dashboard.home.read('.env')).toThrow()
  expect(() => dashboard.home.read('config.yaml')).toThrow()
})
