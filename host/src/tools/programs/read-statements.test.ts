import { expect, test } from 'vitest'
import { changesData } from './read-statements.ts'

test.each([
  ['psql', ['-c', 'select 1; insert into a values (1)'], undefined],
  ['psql', ['-c', "copy a to program 'sh'"], expect.any(String)],
  ['psql', ['-c', 'grant all on a to b'], 'grant all'],
  ['psql', ['-c', 'select 1; revoke x from y'], 'revoke x'],
  ['psql', ['-c', 'select pg_terminate_backend(1)'], expect.any(String)],
  ['mysql', ['-e', 'show tables'], undefined],
  ['mysql', ['--execute=flush privileges'], 'flush privileges'],
  ['sqlite3', ['a.db', '.schema'], undefined],
  ['sqlite3', ['a.db', '.shell ls'], expect.any(String)],
  ['mongosh', ['--eval', 'db.users.find({}).limit(2)'], undefined],
  ['mongosh', ['--eval', 'db.users.deleteMany({})'], 'deleteMany'],
  ['redis-cli', ['-h', 'x', 'get', 'a'], undefined],
  ['redis-cli', ['config', 'get', 'dir'], undefined],
  ['redis-cli', ['config', 'set', 'dir', '/'], 'config'],
  ['redis-cli', ['--eval', 'a.lua'], 'script'],
] as const)('%s %j', (name, words, odd) => {
  expect(changesData(name, words, '')).toEqual(odd)
})

test('what a database is fed counts too', () => {
  expect(changesData('psql', [], 'select 1;\nvacuum;\nreset all;\n')).toBe('reset all')
})
