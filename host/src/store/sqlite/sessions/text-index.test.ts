import { expect, test } from 'vitest'
import { createTemporaryStore } from '../../testing/temporary-store.ts'
import { connect } from '../engine/connect.ts'
import { openQueries } from '../engine/statement.ts'
import { createTextIndex } from './text-index.ts'

test('messages are indexed when there are many, and not a few at a time', async () => {
  await using temporary = await createTemporaryStore()
  const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
  const database = await connect({ file: temporary.file, durability: 'process', clock: temporary.clock, log: silent })
  const problems: unknown[] = []
  let runs = 0
  const run = async <T>(job: () => T): Promise<T> => {
    runs += 1
    if (runs === 3) throw new Error('the disk is full')
    return job()
  }
  try {
    const index = createTextIndex(openQueries(database), { run, close: () => undefined }, (problem) => problems.push(problem))
    const seen = [127, 1, 127, 200, 128].map((messages) => {
      index.note(messages)
      return runs
    })
    expect(seen).toEqual([0, 1, 1, 2, 3])
    await new Promise((resolve) => setImmediate(resolve))
    expect(problems).toEqual([new Error('the disk is full')])
  } finally {
    database.close()
  }
})
