import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { createTemporaryStore } from '../../testing/temporary-store.ts'
import { createGroupCommit } from './group-commit.ts'

function open(now?: () => number) {
  const database = new Database(':memory:')
  const run: string[] = []
  database.exec('CREATE TABLE t (n INTEGER PRIMARY KEY)')
  const spied = new Proxy(database, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown
      if (name !== 'prepare') return typeof value === 'function' ? value.bind(target) : value
      return (text: string) => {
        const statement = target.prepare(text)
        return {
          run() {
            run.push(text)
            return statement.run()
          },
        }
      }
    },
  })
  const insert = database.prepare('INSERT INTO t VALUES (?)')
  return { database, run, commits: createGroupCommit(spied, ':memory:', now), insert: (n: number) => () => insert.run(n).changes }
}

test('jobs of one turn of the loop share one transaction', async () => {
  const { commits, run, insert } = open()
  expect(await Promise.all([1, 2, 3].map((n) => commits.run(insert(n))))).toEqual([1, 1, 1])
  expect(run).toEqual(['BEGIN IMMEDIATE', 'COMMIT'])
})

test('jobs that take long are committed in several transactions, in their order, and all of them by closing', async () => {
  let now = 0
  const { commits, run, database, insert } = open(() => now)
  const slowly = (n: number) => () => {
    now += 15
    return insert(n)()
  }
  const done = [1, 2, 3, 4, 5].map((n) => commits.run(slowly(n)))
  await done[1]
  expect([run, database.prepare('SELECT n FROM t').pluck().all()]).toEqual([
    ['BEGIN IMMEDIATE', 'COMMIT'],
    [1, 2],
  ])
  commits.close()
  await Promise.all(done)
  expect(database.prepare('SELECT n FROM t').pluck().all()).toEqual([1, 2, 3, 4, 5])
  expect(run).toHaveLength(6)
})

test('what a transaction had no time for is done by the next one, without a further job', async () => {
  let now = 0
  const { commits, insert } = open(() => now)
  const done = [1, 2, 3, 4, 5].map((n) =>
    commits.run(() => {
      now += 15
      return insert(n)()
    }),
  )
  expect(await Promise.all(done)).toEqual([1, 1, 1, 1, 1])
})

test('when a group fails each job runs alone: one gets its own error, the others are kept', async () => {
  const { commits, database, insert } = open()
  const results = await Promise.allSettled([commits.run(insert(1)), commits.run(insert(1)), commits.run(insert(2))])
  expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(database.prepare('SELECT n FROM t').pluck().all()).toEqual([1, 2])
  expect(database.inTransaction).toBe(false)
})

test('closing commits what waits and refuses later jobs', async () => {
  const { commits, insert, database } = open()
  const waiting = commits.run(insert(1))
  commits.close()
  expect(database.prepare('SELECT count(*) FROM t').pluck().get()).toBe(1)
  expect(await waiting).toBe(1)
  await expect(commits.run(insert(2))).rejects.toMatchObject({ code: 'INTERNAL' })
})

test('a job that reads before it writes cannot be overtaken by another connection', async () => {
  await using temporary = await createTemporaryStore()
  const [database, other] = [new Database(temporary.file), new Database(temporary.file, { timeout: 1 })]
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER)')
  const commits = createGroupCommit(database, temporary.file)
  const done = await commits.run(() => {
    const before = database.prepare('SELECT count(*) FROM t').pluck().get()
    expect(() => other.exec('INSERT INTO t VALUES (1)')).toThrow('locked')
    return database.prepare('INSERT INTO t VALUES (?)').run(before).changes
  })
  expect(done).toBe(1)
  database.close()
  other.close()
})

test('a file that stays locked is said to be busy to every job of the group, after one wait', async () => {
  await using temporary = await createTemporaryStore()
  const [database, other] = [new Database(temporary.file, { timeout: 1 }), new Database(temporary.file)]
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER)')
  const commits = createGroupCommit(database, temporary.file)
  other.exec('BEGIN IMMEDIATE')
  const results = await Promise.allSettled([1, 2].map((n) => commits.run(() => database.prepare('INSERT INTO t VALUES (?)').run(n))))
  expect(results).toMatchObject([1, 2].map(() => ({ status: 'rejected', reason: { code: 'STORE_BUSY', retryAfterMs: 1_000 } })))
  other.exec('ROLLBACK')
  expect((await commits.run(() => database.prepare('INSERT INTO t VALUES (3)').run())).changes).toBe(1)
  database.close()
  other.close()
})
