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
  another.exec('DROP TABLE leases')
  expect(() => migrate(another, 'state.db')).toThrow(/no such table: leases/)
  for (const each of [database, another]) each.close()
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

test('a new file gets what all steps after each other make, in the same order', () => {
  const [whole, stepwise] = [new Database(':memory:'), new Database(':memory:')]
  migrate(whole, 'state.db')
  migrate(stepwise, 'state.db', [...migrations])
  // How a statement is spaced says nothing: a column that was added later stands behind the line before it.
  const spaced = (text: string): string => text.replaceAll(/\s*([(),])\s*/g, '$1').replaceAll(/\s+/g, ' ')
  const schemaOf = (database: Database.Database): readonly unknown[] =>
    database
      .prepare<[], { sql: string | null }>('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid')
      .all()
      .map((row) => ({ ...row, sql: spaced(row.sql ?? '') }))
  const rowsOf = (database: Database.Database): readonly unknown[] =>
    database
      .prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'message_words' ORDER BY name")
      .pluck()
      .all()
      .map((table) => [table, database.prepare(`SELECT * FROM ${table}`).all()])
  const isOwnName = (row: unknown): boolean => JSON.stringify(row).includes('"key":"store"')
  expect(schemaOf(whole)).toEqual(schemaOf(stepwise))
  expect(schemaOf(whole).length).toBeGreaterThan(30)
  for (const database of [whole, stepwise]) database.exec("UPDATE meta SET value = length(value) WHERE key = 'store'")
  expect(rowsOf(whole)).toEqual(rowsOf(stepwise))
  expect(rowsOf(whole).filter(isOwnName)).toHaveLength(1)
  expect([versionOf(whole), whole.pragma('integrity_check', { simple: true })]).toEqual([migrations.length, 'ok'])
  for (const each of [whole, stepwise]) each.close()
})
