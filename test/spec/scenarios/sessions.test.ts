// @module-tag process
import { expect } from 'vitest'
import { type AgentRun, runAgent } from '../../support/run-agent.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

const run = (home: TestHome, ...words: string[]): Promise<AgentRun> => runHere(home, words)

async function titles(home: TestHome): Promise<readonly (string | null)[]> {
  const { sessions } = JSON.parse((await run(home, 'sessions', 'list', '--json')).out)
  return sessions.map(({ title }: { title: string | null }) => title)
}

proves(
  ['session.title.lineage', 'session.resume.continue'],
  'a title that is taken becomes the next of its line, and the bare title continues the latest',
  async () => {
    using home = openTestHome()
    for (const count of [1, 2, 3]) await runAgent(home, ['chat', '--cli'], { input: `/title plan\nstream ${count} tokens\n` })
    expect(await titles(home)).toEqual(['plan #3', 'plan #2', 'plan'])
    await run(home, 'chat', '-z', 'stream 4 tokens', '-c', 'plan')
    await run(home, 'chat', '-z', 'stream 5 tokens', '-c', 'plan #2')
    const said = async (title: string): Promise<string> => (await run(home, 'sessions', 'export', title)).out
    expect(await said('plan #3')).toContain('stream 4 tokens')
    expect(await said('plan #2')).toContain('stream 5 tokens')
  },
)

proves('session.stored', 'what was said is found again by its words, until the session is deleted', async () => {
  using home = openTestHome()
  await run(home, 'chat', '-z', 'write notes.txt: the walrus sings')
  expect((await run(home, 'sessions', 'search', 'walrus')).out).toMatch(/^ses_/)
  expect(await run(home, 'sessions', 'delete', 'latest', '--yes')).toMatchObject({ code: 0 })
  expect((await run(home, 'sessions', 'search', 'walrus')).out).toBe('Nothing found for walrus.\n')
  expect(await run(home, 'chat', '-z', 'hello', '--resume', 'latest')).toMatchObject({ code: 1, out: '' })
})
