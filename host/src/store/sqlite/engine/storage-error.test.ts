import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { createTemporaryStore } from '../../testing/temporary-store.ts'
import { isDamage, isTransient, sqliteCode, toStoreError } from './storage-error.ts'

/** What SQLite throws where a file may not grow. */
function fullError(file: string): unknown {
  const database = new Database(file)
  try {
    database.exec('CREATE TABLE rows (text TEXT)')
    database.pragma('max_page_count = 2')
    database.prepare('INSERT INTO rows VALUES (?)').run('x'.repeat(100_000))
  } catch (error) {
    return error
  } finally {
    database.close()
  }
  return undefined
}

test('a file that cannot grow is full, which passes when somebody makes room', async () => {
  await using temporary = await createTemporaryStore()
  const error = toStoreError(fullError(temporary.file), temporary.file)
  expect(error).toMatchObject({ code: 'STORE_FULL', retryAfterMs: 10_000, params: { file: temporary.file } })
  expect([isTransient(error), isDamage(error)]).toEqual([true, false])
})

test.each([
  new Error('plain'),
  Object.assign(new Error('of the system'), { code: 'ENOENT' }),
  Object.assign(new Error('odd'), { code: 7 }),
  'a text',
])('what is no error of SQLite has no code of it: %s', (error) => {
  expect([sqliteCode(error), isTransient(error)]).toEqual(['', false])
  expect(toStoreError(error, 'state.db')).toMatchObject({ code: 'INTERNAL' })
})

test('an error that has its code passes as it is', async () => {
  await using temporary = await createTemporaryStore()
  const full = toStoreError(fullError(temporary.file), temporary.file)
  expect(toStoreError(full, 'other.db')).toBe(full)
})

test.each([
  ['SQLITE_IOERR_WRITE', 'INTERNAL'],
  ['SQLITE_CANTOPEN', 'HOME_UNUSABLE'],
  ['SQLITE_READONLY', 'HOME_UNUSABLE'],
  ['SQLITE_BUSY_SNAPSHOT', 'STORE_BUSY'],
  ['SQLITE_LOCKED', 'STORE_BUSY'],
])('where there is room on the disk, and where nobody can say, %s is told as %s', async (code, told) => {
  await using temporary = await createTemporaryStore()
  const error = Object.assign(new Error('made up'), { code })
  expect(toStoreError(error, temporary.file)).toMatchObject({ code: told, cause: error })
  expect(isTransient(toStoreError(error, temporary.file))).toBe(told === 'STORE_BUSY')
  expect(toStoreError(error, '/nowhere/at/all/state.db')).toMatchObject({ code: told })
})
