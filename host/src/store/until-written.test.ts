import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { untilWritten } from './until-written.ts'

const full = fail('STORE_FULL', { file: 'state.db' })

test('what does not fit on the disk is written when there is room again', async () => {
  const clock = createFakeClock()
  let tries = 0
  const writing = untilWritten({ clock, log: silentLog }, new AbortController().signal, async () => {
    tries += 1
    if (tries < 3) throw full
  })
  for (let waits = 0; waits < 2; waits++) {
    await expect.poll(() => clock.sleeping()).toBe(1)
    await clock.advance(5_000)
  }
  await writing
  expect(tries).toBe(3)
})

test('a stop ends the wait, and any other failure is passed on', async () => {
  const clock = createFakeClock()
  const stop = new AbortController()
  const options = { clock, log: silentLog }
  const writing = untilWritten(options, stop.signal, () => Promise.reject(full))
  stop.abort(fail('INTERRUPTED'))
  await expect(writing).rejects.toMatchObject({ name: 'AgentError' })
  const lost = fail('CLAIM_LOST', { what: 'It' })
  await expect(untilWritten(options, new AbortController().signal, () => Promise.reject(lost))).rejects.toBe(lost)
})
