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

test.each([
  // The first word is the database; what follows is for it.
  ['sqlite3', ['reset', 'select 1'], undefined],
  ['sqlite3', ['-readonly', 'a.db', 'reset all now'], 'reset all'],
  ['duckdb', ['a.db', 'reset all'], 'reset all'],
  ['duckdbs', ['a.db', 'reset all'], undefined],
  ['psql', ['reset'], undefined],
  ['psql', ['-Atc', 'reset all'], 'reset all'],
  ['psql', ['-f', 'reset all'], undefined],
  ['psql', ['--command', 'reset all'], 'reset all'],
  ['mysql', ['--query=reset all'], 'reset all'],
  ['mongosh', ['-c', 'db.dropUser()'], undefined],
  ['mongo', ['--eval=db.x.find()'], undefined],
  ['mongo', ['--eval', 'db.adminCommand({ shutdown: 1 })'], 'shutdown'],
  ['mongo', ['--eval', 'frobnicate (1); db.x.find()'], 'frobnicate'],
] as const)('of %s %j the statements are read where they stand', (name, words, odd) => {
  expect(changesData(name, words, '')).toEqual(odd)
})

test.each([
  ['select 1 -- and more;\n-- reset all\n', undefined],
  ['  \n;;\n select 1', undefined],
  ['select 1\n\\d a\n.tables', undefined],
  ['select 1\n\\frob x', '\\frob x'],
  ['frobnicate a lot of tables', 'frobnicate a'],
  [`frobnicate${'x'.repeat(60)}`, `frobnicate${'x'.repeat(20)}`],
  [`select pg_read_${'x'.repeat(60)}`, `pg_read_${'x'.repeat(22)}`],
])('the statement %j is odd because of %j', (text, odd) => {
  expect(changesData('psql', [], text)).toBe(odd)
})

test.each([
  [['-n', '2', 'get', 'a'], undefined],
  [['-n', '2', 'flushall'], 'flushall'],
  [['--user', 'ann', 'FLUSHDB'], 'flushdb'],
  [['-h', 'get', 'flushall'], 'flushall'],
  [['--tls', 'GET', 'a'], undefined],
  [['client', 'list'], undefined],
  [['client', 'kill', 'x'], 'client'],
  [['acl', 'setuser', 'x'], 'acl'],
  [['frob', 'client', 'list'], 'frob'],
  [['cluster', 'infox'], 'cluster'],
  [['get', 'a', '--pipe'], 'script'],
  [['--pipes', 'get', 'a'], undefined],
  [['-h', 'x'], undefined],
  [[], undefined],
] as const)('redis-cli %j is odd because of %j', (words, odd) => {
  expect(changesData('redis-cli', words, 'flushall')).toBe(odd)
})
