import { readFileSync } from 'node:fs'
import { join } from 'node:path'
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

test('import reads what export wrote, copies a session that is there, and replaces it where that is asked for', async () => {
  await inStore((sessions) => sessions.commit(turnOf('ses_a', 'first', { title: 'plan' })))
  const file = join(home.folder, 'plan.jsonl')
  expect((await run('export', 'plan', file)).out).toContain('2 messages written')
  const again = await run('import', file)
  const [, id = ''] =
    /^"plan #2" \((ses_\w+)\) was imported with 2 messages; ses_a was here already and stays as it is\./.exec(again.out) ?? []
  expect(again.out).toContain(`agent chat --resume ${id} goes on with it.`)
  await run('undo', 'ses_a', '--yes')
  expect((await run('import', file, '--replace')).out).toContain('in the place of the one that was here')
  expect((await run('export', 'ses_a')).out).toBe(readFileSync(file, 'utf8'))
  await run('delete', 'ses_a', '--yes')
  expect((await run('import', file)).out).toMatch(/^"plan" \(ses_a\) was imported with 2 messages\. /)
})

test('a file that cannot be imported is named by line and reason', async () => {
  home.write('bad.jsonl', '{"type":"session"}\n')
  expect(await run('import', join(home.home, 'bad.jsonl'))).toMatchObject({ error: 'SESSION_FILE_INVALID', code: 1 })
  expect(await run('import', join(home.home, 'gone.jsonl'))).toMatchObject({ error: 'FILE_UNREADABLE' })
  expect((await run('list', '--json')).out).toContain('"sessions": []')
})

test('every command of the page about sessions works in its order', async () => {
  await inStore((sessions) => sessions.commit(turnOf('ses_a', 'the weather report of Oslo', { at: Date.now() })))
  const page = readFileSync(new URL('../../../docs/manage-sessions.md', import.meta.url), 'utf8')
  const lines = [...page.matchAll(/^agent sessions (.+)$/gm)].map(([, words = '']) =>
    words.replace('oslo.jsonl', join(home.folder, 'oslo.jsonl')),
  )
  expect(lines.length).toBeGreaterThan(8)
  for (const line of lines) {
    const words = [...line.matchAll(/"([^"]+)"|\S+/g)].map(([word, quoted]) => quoted ?? word)
    expect({ line, ...(await run(...words)) }).toMatchObject({ line, code: 0, error: undefined })
  }
})
