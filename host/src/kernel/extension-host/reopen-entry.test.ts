import type { Call, CodeKind, Context } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { Contribution } from '../catalog/catalog.ts'
import { reopenEntry } from './reopen-entry.ts'

type Member = (...args: readonly unknown[]) => unknown
type Opened = Readonly<Record<string, Member | Readonly<Record<string, Member>>>>

const context = { about: { plugin: 'x' }, clock: createFakeClock(), signal: new AbortController().signal } as unknown as Context
const call: Call = { id: 'c', signal: context.signal, deadline: 1000 }

/** An entry in a child; `replace` is the next child, which has another one. */
async function openFirst(kind: CodeKind, first: Opened) {
  const calls: Call[] = []
  const entryOf = (open: () => Promise<Opened>): object => ({
    open: async (_context: Context, own: Call) => {
      calls.push(own)
      return await open()
    },
  })
  let now = entryOf(async () => first)
  const contribution = { kind, id: 'x', plugin: { manifest: { id: 'x' } }, spec: {} } as unknown as Contribution
  const entry = reopenEntry(contribution, now, async () => now) as { open(context: Context, call: Call): Promise<Opened> }
  const opened = (await entry.open(context, call)) as Readonly<Record<string, Member>> & { readonly tools?: Record<string, Member> }
  return { opened, calls, replace: (open: () => Promise<Opened>) => (now = entryOf(open)) }
}

test('what was opened is used until another child runs, and opened there once', async () => {
  const { opened, calls, replace } = await openFirst('web-backend', { search: async () => 'first' })
  expect([await opened.search?.(), await opened.search?.(), calls.length]).toEqual(['first', 'first', 1])
  replace(async () => ({ search: async () => 'second' }))
  expect(await Promise.all([opened.search?.(), opened.search?.()])).toEqual(['second', 'second'])
  expect([await opened.search?.(), calls.length]).toEqual(['second', 2])
  expect(calls[1]?.signal.aborted).toBe(false)
})

test('one that cannot be opened again tells those who wait for it, and is tried again at the next use', async () => {
  const { opened, calls, replace } = await openFirst('web-backend', { search: async () => 'first' })
  let isReady = false
  replace(async () => {
    if (!isReady) throw new Error('not yet')
    return { search: async () => 'second' }
  })
  await expect(opened.search?.()).rejects.toThrow('not yet')
  isReady = true
  expect([await opened.search?.(), calls.length]).toEqual(['second', 3])
})

test('it has the members that the first one had; one that the next lacks is refused by name', async () => {
  const { opened, replace } = await openFirst('web-backend', { search: async (word) => `found ${word}`, other: async () => 1 })
  expect(Object.keys(opened)).toEqual(['search'])
  expect(await opened.search?.('it')).toBe('found it')
  replace(async () => ({}))
  await expect(opened.search?.('it')).rejects.toMatchObject({ code: 'UNSUPPORTED', params: { what: 'search', by: 'This web backend' } })
})

test('groups of members are passed on by their names', async () => {
  const { opened, replace } = await openFirst('toolset', { tools: { dice: async () => 6, coin: async () => 'head' } })
  expect([await opened.tools?.dice?.(), await opened.tools?.coin?.()]).toEqual([6, 'head'])
  replace(async () => ({ tools: { dice: async () => 1 } }))
  expect(await opened.tools?.dice?.()).toBe(1)
  await expect(opened.tools?.coin?.()).rejects.toMatchObject({ code: 'UNSUPPORTED' })
})

test('a stream of a model whose process is gone ends with a failure of its list; other errors are thrown', async () => {
  let error: Error = fail('PLUGIN_FAILED', { plugin: 'x', during: 'its run', detail: 'its process ended' })
  const { opened } = await openFirst('provider', {
    // biome-ignore lint/correctness/useYield: it ends before it says anything
    stream: async function* () {
      throw error
    },
  })
  const read = async (): Promise<readonly unknown[]> => {
    const items: unknown[] = []
    for await (const item of (opened.stream as Member)() as AsyncIterable<unknown>) items.push(item)
    return items
  }
  expect(await read()).toMatchObject([{ type: 'failed' }])
  error = new Error('something else')
  await expect(read()).rejects.toThrow('something else')
})

test('a stream gives its items in order and nothing after its end, its error or its last reader', async () => {
  const left: string[] = []
  async function* count(name: string) {
    try {
      for (let at = 0; at < 3; at++) yield `${name}${at}`
      if (name === 'bad') throw new Error('broken')
    } finally {
      left.push(name)
    }
  }
  const { opened } = await openFirst('provider', { stream: (name) => count(String(name)) })
  const open = (name: string) => ((opened.stream as Member)(name) as AsyncIterable<unknown>)[Symbol.asyncIterator]()

  const good = open('good')
  const first = await Promise.all([good.next(), good.next(), good.next(), good.next(), good.next()])
  expect(first.map(({ value, done }) => value ?? done)).toEqual(['good0', 'good1', 'good2', true, true])

  const bad = open('bad')
  for (let at = 0; at < 3; at++) await bad.next()
  await expect(bad.next()).rejects.toThrow('broken')
  expect(await bad.next()).toEqual({ done: true, value: undefined })

  const early = open('early')
  await early.next()
  expect([await early.return?.('kept'), await early.next()]).toEqual([
    { done: true, value: 'kept' },
    { done: true, value: undefined },
  ])
  const opening = open('opening')
  const asked = opening.next()
  expect(await opening.return?.()).toEqual({ done: true, value: undefined })
  expect((await asked).value).toBe('opening0')
  expect(left).toEqual(['good', 'bad', 'early', 'opening'])

  const never = open('never')
  await never.return?.()
  expect([await never.next(), left.length]).toEqual([{ done: true, value: undefined }, 4])
})

test('a platform is left as it is: its connection is made again by supervision', async () => {
  const entry = { connect: async () => ({}) }
  const contribution = { kind: 'platform', id: 'x', plugin: { manifest: { id: 'x' } }, spec: {} } as unknown as Contribution
  expect(reopenEntry(contribution, entry, async () => entry)).toBe(entry)
})
