import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'

const versionOf = (database: Database.Database): unknown => database.pragma('user_version', { simple: true })
const tablesOf = (database: Database.Database): readonly unknown[] =>
  database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").pluck().all()

test('a step that fails leaves the file as it was, and no transaction open', () => {
  const database = new Database(':memory:')
  const first = migrations.slice(0, 1)
  migrate(database, 'state.db', first)
  const tables = tablesOf(database)
  expect(() => migrate(database, 'state.db', [...first, 'CREATE TABLE more (a)', 'CREATE NOTHING'])).toThrow(/syntax error/)
  expect([database.inTransaction, versionOf(database), tablesOf(database)]).toEqual([false, 1, tables])
  database.close()
})

test('only what is new is done, and what is up to date is looked at and not written', () => {
  const database = new Database(':memory:')
  migrate(database, 'state.db', [migrations[0] ?? '', 'CREATE TABLE more (a)'])
  expect([versionOf(database), tablesOf(database).includes('more')]).toEqual([2, true])
  const another = new Database(':memory:')
  migrate(another, 'state.db')
  const changes = another.prepare('SELECT total_changes()').pluck()
  const before = changes.get()
  migrate(another, 'state.db')
  expect([changes.get(), another.inTransaction]).toEqual([before, false])
  // A table that cannot be read shows at once.
  for (const table of ['leases', 'jobs', 'job_runs']) {
    another.exec(`ALTER TABLE ${table} RENAME TO gone`)
    expect(() => migrate(another, 'state.db')).toThrow(`no such table: ${table}`)
    another.exec(`ALTER TABLE gone RENAME TO ${table}`)
  }
  for (const each of [database, another]) each.close()
})

test('what was counted and reserved before there were jobs of it stays, and is of no job', () => {
  const database = new Database(':memory:')
  migrate(database, 'state.db', migrations.slice(0, 12))
  database.exec(`
    INSERT INTO usage (day, session, source, person, provider, model, calls, input, output, cache_read, cache_write, reasoning, estimated)
      VALUES ('2026-01-05', 'ses_a', 'irc', 'mira', 'far', 'big', 1, 2, 3, 4, 5, 6, 7);
    INSERT INTO reservations (day, source, person, provider, model, input, output) VALUES ('2026-01-05', 'irc', 'mira', 'far', 'big', 8, 9);
  `)
  migrate(database, 'state.db')
  expect(database.prepare('SELECT * FROM usage').all()).toEqual([
    {
      ...{ day: '2026-01-05', session: 'ses_a', source: 'irc', person: 'mira', job: '', provider: 'far', model: 'big', calls: 1 },
      ...{ input: 2, output: 3, cache_read: 4, cache_write: 5, reasoning: 6, estimated: 7 },
    },
  ])
  expect(database.prepare('SELECT job, person, input, output FROM reservations').all()).toEqual([
    { job: '', person: 'mira', input: 8, output: 9 },
  ])
  database.close()
})

test('a file of another program is none of ours, whatever its version says; an empty one becomes ours', () => {
  const theirs = new Database(':memory:')
  theirs.exec('CREATE TABLE notes (a)')
  theirs.pragma(`user_version = ${migrations.length}`)
  expect(() => migrate(theirs, 'state.db')).toThrow(/another program/)
  expect([theirs.inTransaction, tablesOf(theirs)]).toEqual([false, ['notes']])
  const empty = new Database(':memory:')
  migrate(empty, 'state.db')
  expect(empty.pragma('application_id', { simple: true })).toBe(0x61676e74)
  for (const each of [theirs, empty]) each.close()
})
