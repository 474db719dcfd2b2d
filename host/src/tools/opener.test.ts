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

const contributionOf = (id: string) => ({ id, plugin: { manifest: { id: `hooks-${id}` } } }) as unknown as Contribution<'hooks'>

/** An opener of entries that open as they are told. */
function openOpener(open: (id: string) => Promise<string>, requireShape: () => void = () => undefined) {
  const closed: string[] = []
  const opener = createOpener<'hooks', Context, string>(
    {
      activator: { entry: async <T>({ id }: { id: string }) => ({ open: () => open(id) }) as T },
      openContext: async ({ id }) => ({
        context: { signal: new AbortController().signal } as Context,
        close: async () => void closed.push(id),
      }),
      clock: createFakeClock(),
    },
    requireShape,
  )
  return { opener, closed }
}

test('one that is retired is closed, and opened again by its next caller; one that was never opened is nothing to close', async () => {
  let opens = 0
  const { opener, closed } = openOpener(async () => `open ${++opens}`)
  const [one, two] = [contributionOf('one'), contributionOf('two')]
  expect([await opener.opened(one), await opener.opened(one), await opener.opened(two)]).toEqual(['open 1', 'open 1', 'open 2'])
  await opener.retire(one)
  await opener.retire(contributionOf('never'))
  expect(closed).toEqual(['one'])
  expect(await opener.opened(one)).toBe('open 3')
  await opener.close()
  expect(closed).toEqual(['one', 'two', 'one'])
})

test('one that fails while all are closed, or while it is retired, keeps the others from nothing', async () => {
  const { opener, closed } = openOpener(async (id) => (id === 'bad' ? Promise.reject(new Error('boom')) : id))
  await opener.opened(contributionOf('good'))
  const bad = contributionOf('bad')
  const failing = expect(opener.opened(bad)).rejects.toThrow('boom')
  await opener.retire(bad)
  const again = expect(opener.opened(bad)).rejects.toThrow('boom')
  await opener.close()
  await Promise.all([failing, again])
  expect(closed.sort()).toEqual(['bad', 'bad', 'good'])
})

test('what was opened and is not what its manifest declares is closed', async () => {
  const { opener, closed } = openOpener(
    async (id) => id,
    () => {
      throw new Error('no such method')
    },
  )
  await expect(opener.opened(contributionOf('odd'))).rejects.toThrow('no such method')
  expect(closed).toEqual(['odd'])
})
