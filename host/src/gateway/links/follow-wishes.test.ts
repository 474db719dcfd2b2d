import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { followWishes } from './follow-wishes.ts'
import { wishFor } from './paused-platforms.ts'
import type { Link } from './platform-link.ts'

test('what another process asks for is done within a second: to send, to run a job, and to pause', async () => {
  await using place = await createTemporaryStore()
  const [store, other] = [await place.open(), await place.open()]
  const clock = createFakeClock()
  const stop = new AbortController()
  const done: string[] = []
  const link = { status: () => ({ state: 'connected' }), pause: async () => void done.push('paused') } as unknown as Link
  const outbox = { wake: () => done.push('woken') }
  const scheduler = { wake: () => done.push('scheduled') }
  const posting = { wake: () => done.push('heard') }
  followWishes({ store, links: new Map([['talk', link]]), outbox, scheduler, posting, clock, log: silentLog, signal: stop.signal })
  await wishFor(other.kv, 'talk', 'paused')
  expect(done).toEqual([])
  await clock.advance(1_000)
  await expect.poll(() => done).toEqual(['woken', 'scheduled', 'heard', 'paused'])
  stop.abort()
  await wishFor(other.kv, 'talk', 'resumed')
  await clock.advance(5_000)
  expect(done).toHaveLength(4)
})
