import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import { nativeBinding } from '#store/native.ts'
import { openStore } from '#store/sqlite/open.ts'
import { runCommand } from '../../../../test/support/test-cli.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { command } from './command.ts'

const installRoot = fileURLToPath(new URL('../../../..', import.meta.url))

let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

const run = (...words: string[]) => runCommand(command, words, { environment: home.environment, installRoot })

test('a job is made, listed, shown, changed, let wait, asked for and removed', async () => {
  expect((await run('list')).out).toMatch(/^There are no jobs\./)
  const added = await run('add', 'daily at 9:00', 'What', 'is', 'new?', '--zone', 'Europe/Berlin', '--repeat', '3', '--missed', 'tell')
  expect(added.out).toMatch(/^The job is kept: What is new\? \(job_\w+\), next \d{4}-\d\d-\d\d 09:00 Europe\/Berlin\.$/m)
  expect(added.note).toContain('No gateway runs')
  expect((await run('add', 'daily 9:00', 'What is new?', '--zone', 'Europe/Berlin')).out).toContain('There was such a job')
  const listed = await run('list')
  expect(listed.out).toMatch(/What is new\? {2}0 9 \* \* \* {2}.*09:00 Europe\/Berlin {2}local {2}not run yet/)
  const { jobs } = JSON.parse((await run('list', '--json')).out)
  expect(jobs).toMatchObject([{ name: 'What is new?', schedule: '0 9 * * *', zone: 'Europe/Berlin', last: null }])
  expect((await run('list', '--json')).out).toBe((await run('list', '--json')).out)
  expect((await run('edit', 'What is new?', '--name', 'news', '--schedule', 'every 2h')).out).toContain('The job is changed: news')
  expect((await run('show', 'news')).out).toMatch(/schedule {2}every 2h \(Europe\/Berlin\)/)
  expect(JSON.parse((await run('show', 'news', '--json')).out)).toMatchObject({ job: { id: jobs[0].id, schedule: 'every 2h' } })
  expect((await run('pause', 'news')).out).toContain('waits')
  expect((await run('list')).out).toContain('paused')
  expect((await run('resume', 'news')).out).toContain('goes on')
  expect((await run('run', 'news')).out).toContain('within a second')
  expect((await run('history', 'news')).out).toMatch(/news {2}waiting/)
  expect(JSON.parse((await run('history', '--json')).out)).toMatchObject({ runs: [{ cause: 'asked', state: 'waiting' }] })
  expect((await run('remove', 'news')).out).toContain('removed')
  expect((await run('history')).out).toBe('Nothing was run yet.\n')
})

test.for([
  [['add', 'sometimes', 'x'], 'SCHEDULE_INVALID'],
  [['add', 'daily 9:00'], 'JOB_INVALID'],
  [['add', 'daily 9:00', 'x', '--missed', 'never'], 'USAGE'],
  [['add', 'daily 9:00', 'x', '--repeat', 'x'], 'USAGE'],
  [['add', 'daily 9:00', 'x', '--deliver', 'fax:1'], 'JOB_INVALID'],
  [['add', 'daily 9:00', 'x', '--skill', 'nothing'], 'JOB_INVALID'],
  [['pause', 'nobody'], 'JOB_NOT_FOUND'],
  [['history', '--limit', '0'], 'USAGE'],
] as const)('%s is refused with %s', async ([words, code]) => {
  expect(await run(...words)).toMatchObject({ error: code })
})

test('a job that the gateway paused is listed and shown with the reason', async () => {
  await run('add', 'daily 9:00', 'x', '--name', 'news')
  const store = await openStore({
    ...{ file: join(home.home, 'state.db'), durability: 'process', log: silentLog, clock: systemClock },
    nativeBinding: nativeBinding({ folder: home.environment.AGENT_NATIVE_CACHE ?? '' }),
  })
  const [job] = await store.jobs.list()
  await store.jobs.change(job?.id ?? '', (found) => ({ ...found, state: 'paused', nextAt: null, pausedWhy: 'ann on talk is gone' }))
  await store.close()
  expect((await run('list')).out).toContain('paused: ann on talk is gone')
  expect((await run('show', 'news')).out).toContain('paused: ann on talk is gone')
  await run('resume', 'news')
  expect((await run('list')).out).not.toContain('is gone')
})

test('a script is taken as it is now and shown; a file that is not there is named', async () => {
  home.write('check.sh', '#!/bin/sh\necho hi\n')
  const file = join(home.home, 'check.sh')
  await run('add', 'daily 9:00', 'x', '--name', 'news')
  expect((await run('add', 'every 1h', '--script', file, '--name', 'check')).out).toContain('The job is kept: check')
  home.write('check.sh', 'echo changed\n')
  const shown = (await run('show', 'check')).out
  expect(shown).toMatch(/script +check\.sh[\s\S]*\necho hi\n/)
  await run('edit', 'check', '--script', file)
  expect((await run('show', 'check')).out).toContain('echo changed')
  await run('add', 'every 2h', 'sum', '--context-from', 'news')
  expect((await run('show', 'sum')).out).toMatch(/answers of +job_/)
  expect(await run('add', 'every 1h', '--script', `${file}.gone`)).toMatchObject({ error: 'JOB_INVALID' })
})
