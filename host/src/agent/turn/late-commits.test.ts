import type { Log } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { systemClock } from '#kernel/clock.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { TurnRows } from '#store/sessions.ts'
import { createLateCommits } from './late-commits.ts'

const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const rowsOf = (id: string): TurnRows => ({ session: { id }, messages: [], usage, calls: 1, at: 0 })

test('rows that come together are written together, in order', async () => {
  const written: string[][] = []
  let open: string[] | undefined
  const commit = async (rows: TurnRows): Promise<void> => {
    if (!open) {
      open = []
      written.push(open)
      setImmediate(() => (open = undefined))
    }
    open.push(rows.session.id)
  }
  const late = createLateCommits({ commit }, systemClock, silentLog)
  for (const id of ['a', 'b', 'c']) void late.add(rowsOf(id))
  await late.close()
  expect(written).toEqual([['a', 'b', 'c']])
})

test('closing writes what waits, also what is added while it writes', async () => {
  const written: string[] = []
  const late = createLateCommits(
    {
      commit: async ({ session }) => {
        if (session.id === 'a') void late.add(rowsOf('b'))
        written.push(session.id)
      },
    },
    systemClock,
    silentLog,
  )
  void late.add(rowsOf('a'))
  await late.close()
  expect(written).toEqual(['a', 'b'])
})

test('what cannot be written is in the log, and the rest is written', async () => {
  const lines: string[] = []
  const log: Log = { ...silentLog, error: (message) => void lines.push(message) }
  const written: string[] = []
  const commit = async ({ session }: TurnRows): Promise<void> => {
    if (session.id === 'bad') throw new Error('full')
    written.push(session.id)
  }
  const late = createLateCommits({ commit }, systemClock, log)
  for (const id of ['a', 'bad', 'b']) void late.add(rowsOf(id))
  await late.close()
  expect(written).toEqual(['a', 'b'])
  expect(lines).toEqual(['a turn could not be stored'])
})
