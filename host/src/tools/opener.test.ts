import type { Context } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { createOpener } from './opener.ts'

test('an entry that does not open in time is undone, opened again by the next caller, and keeps nobody from closing', async () => {
  const clock = createFakeClock()
  const contribution = { id: 'slow', plugin: { manifest: { id: 'hooks-slow' } } } as unknown as Contribution<'hooks'>
  let closed = 0
  let opens = 0
  const open = async (): Promise<string> => (opens++ === 0 ? await new Promise<never>(() => undefined) : 'open')
  const opener = createOpener<'hooks', Context, string>(
    {
      activator: { entry: async <T>() => ({ open }) as T },
      openContext: async () => ({ context: { signal: new AbortController().signal } as Context, close: async () => void closed++ }),
      clock,
    },
    () => undefined,
  )
  const asked = expect(opener.opened(contribution)).rejects.toMatchObject({ code: 'TIMED_OUT', params: { what: 'Opening hooks-slow' } })
  await clock.advance(10_000)
  await clock.advance(2_000)
  await asked
  expect(closed).toBe(1)
  expect(await opener.opened(contribution)).toBe('open')
  await opener.close()
  expect(closed).toBe(2)
})
