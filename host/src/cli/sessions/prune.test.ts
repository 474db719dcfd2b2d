import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { command } from './command.ts'
import { turnOf, withSessions } from './testing/home-sessions.ts'

const day = 24 * 3_600_000
let home: TestHome
beforeEach(async () => {
  home = openTestHome()
  await withSessions(home, async (sessions) => {
    for (const days of [200, 100, 40, 0])
      await sessions.commit(turnOf(`ses_${days}`, `said ${days} days ago`, { at: Date.now() - days * day - 1 }))
    await sessions.rename('ses_200', 'plan')
  })
})
afterEach(() => home[Symbol.dispose]())

const run = (...words: string[]) => runCommand(command, ['prune', ...words], { environment: home.environment })
const left = () => withSessions(home, async (sessions) => (await sessions.list({ limit: 9 })).map(({ id }) => id))
const listed = async (...words: string[]): Promise<readonly string[]> =>
  JSON.parse((await run(...words, '--dry-run', '--json')).out).sessions.map(({ id }: { readonly id: string }) => id)

test('prune lists what is old, and deletes it after a yes', async () => {
  expect((await run('--dry-run')).out).toMatch(/^1 session, the oldest first:\nses_100 +100 d ago +cli +2 messages +said 100 days ago\n$/)
  const asked = await run()
  expect(asked).toMatchObject({ error: 'USAGE', out: expect.stringContaining('ses_100') })
  expect(await left()).toHaveLength(4)
  expect((await run('--yes')).out).toBe('1 session was deleted.\n')
  expect(await left()).toEqual(['ses_0', 'ses_40', 'ses_200'])
  expect((await run('--yes')).out).toContain('No session is that old.')
})

test('age, count and titles of people say which', async () => {
  expect(await listed('--older-than', '30d')).toEqual(['ses_100', 'ses_40'])
  expect(await listed('--older-than', '4w', '--titled')).toEqual(['ses_200', 'ses_100', 'ses_40'])
  expect(await listed('--older-than', '30', '--keep', '2')).toEqual(['ses_100'])
  expect(await listed('--keep', '0')).toEqual(['ses_100', 'ses_40'])
  home.write('config.yaml', 'sessions: { retention_days: 30 }\n')
  expect(await listed()).toEqual(['ses_100', 'ses_40'])
  expect(JSON.parse((await run('--yes', '--json')).out)).toEqual({ deleted: 2 })
})

test.each([
  ['--older-than', '0d'],
  ['--older-than', '12h'],
  ['--older-than', 'soon'],
  ['--keep', '-1'],
  ['--keep', 'all'],
])('%s %s is refused with a way that works', async (...words) => {
  expect(await run(...words, '--yes')).toMatchObject({ error: 'USAGE', code: 2 })
  expect(await left()).toHaveLength(4)
})
