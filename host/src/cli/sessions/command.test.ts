import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Sessions } from '#store/sessions.ts'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { command } from './command.ts'
import { turnOf, withSessions } from './testing/home-sessions.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

const run = (...words: string[]) => runCommand(command, words, { environment: home.environment })
const inStore = <Value>(work: (sessions: Sessions) => Promise<Value>): Promise<Value> => withSessions(home, work)

test('undo takes the last turn out of a session and says what it was, after a yes', async () => {
  await inStore(async (sessions) => {
    await sessions.commit(turnOf('ses_a', 'first'))
    await sessions.commit(turnOf('ses_a', 'second'))
  })
  expect(await run('undo', 'ses_a')).toMatchObject({ error: 'USAGE' })
  expect(await run('undo', 'ses_a', '--yes')).toMatchObject({
    code: 0,
    out: 'Taken back: "second" and what came after it (2 messages in all). 2 messages are left.\n',
  })
  expect(await inStore((sessions) => sessions.history('ses_a'))).toEqual(turnOf('ses_a', 'first').messages)
  expect(await run('undo', 'nothing', '--yes')).toMatchObject({ error: 'SESSION_NOT_FOUND' })
})

test('branch copies a session under the next title of its line, and says how to go on in it', async () => {
  await inStore((sessions) => sessions.commit(turnOf('ses_a', 'first', { title: 'trip to Oslo' })))
  const { out } = await run('branch', 'trip to Oslo')
  const [, id = ''] = /^"trip to Oslo #2" \((ses_\w+)\) is a copy of "trip to Oslo" \(ses_a\)\./.exec(out) ?? []
  expect(out).toContain(`agent chat --resume ${id} goes on with it.`)
  expect(await inStore((sessions) => sessions.find(id))).toMatchObject({ parent: 'ses_a', messages: 2 })
  expect((await run('branch', 'ses_a', 'by', 'train')).out).toMatch(/^"by train" /)
  expect(await run('branch', 'nothing')).toMatchObject({ error: 'SESSION_NOT_FOUND' })
})
