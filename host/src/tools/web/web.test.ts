import type { Call, Context, Log, WebBackend, WebSource } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Catalog, CatalogOptions } from '#kernel/catalog/catalog.ts'
import { openPluginFolder, type PluginFolder } from '#kernel/testing/plugin-folder.ts'
import { createWeb, type Web } from './web.ts'

const clock = createFakeClock()
const call: Call = { id: 'call_1', signal: new AbortController().signal, deadline: 600_000 }
const hit = { url: 'https://a.example', title: 'A', excerpt: 'Words.' }
const page = { url: 'https://a.example/', title: 'A', text: '# A' }

let folder: PluginFolder
let sources: Record<string, WebSource>
let opened: string[]
let closed: string[]
let warned: unknown[]
let webs: Parameters<WebBackend['open']>[0]['web'][]
beforeEach(() => {
  folder = openPluginFolder()
  ;[sources, opened, closed, warned, webs] = [{}, [], [], [], []]
})
afterEach(() => folder[Symbol.dispose]())

/** A plugin with one backend; `able` are the capabilities of its manifest, and its methods unless told. */
function add(id: string, able: readonly (keyof WebSource)[], source?: WebSource, permissions: object = {}): void {
  const all: Required<WebSource> = { search: async () => [hit], extract: async () => page, crawl: async () => [page] }
  sources[id] = source ?? Object.fromEntries(able.map((name) => [name, all[name]]))
  const capabilities = Object.fromEntries(able.map((name) => [name, true]))
  const backend = { id, entry: 'dist/web.js', label: id, capabilities, env: ['MADE_UP_KEY'] }
  const env = [{ name: 'MADE_UP_KEY', secret: true, required: true, prompt: 'a key' }]
  folder.link({ id: `web-backend-${id}`, api: { 'web-backend': 1 }, env, permissions, contributes: { webBackends: [backend] } })
}

async function open(wanted = '', options: Partial<CatalogOptions> = {}): Promise<{ web: Web; catalog: Catalog }> {
  const catalog = await folder.load({ hasEnvironment: () => true, ...options })
  const log: Log = {
    debug: () => undefined,
    info: () => undefined,
    error: () => undefined,
    warn: (_text, fields) => void warned.push(fields),
  }
  const web = createWeb({
    ...{ catalog, wanted: () => wanted, clock, log },
    guard: async (url) => {
      if (url.includes('inside')) throw fail('WEB_ADDRESS_REFUSED', { url, reason: 'it is inside' })
    },
    resolve: async ({ allowPrivate }) => (allowPrivate ? ['127.0.0.1'] : []),
    activator: {
      entry: async <T>({ id }: { id: string }) => {
        opened.push(id)
        const open: WebBackend['open'] = async ({ web }) => {
          webs.push(web)
          return sources[id] ?? {}
        }
        return { open } satisfies WebBackend as T
      },
    },
    openContext: async ({ id }) => ({
      context: { signal: new AbortController().signal } as Context,
      close: async () => void closed.push(id),
    }),
  })
  return { web, catalog }
}

test('without a choice each method has the first backend by name that can do it', async () => {
  add('zebra', ['search', 'crawl'])
  add('ant', ['search'])
  const { web } = await open()
  expect([web.offers('search'), web.offers('extract'), web.offers('crawl')]).toEqual([true, false, true])
  expect(await web.search({ query: 'x', most: 5 }, call)).toEqual([hit])
  expect(await web.crawl({ url: 'https://a.example', most: 5 }, call)).toEqual([page])
  expect(opened).toEqual(['ant', 'zebra'])
  await expect(web.extract('https://a.example', call)).rejects.toMatchObject({
    code: 'WEB_BACKEND_LACKS',
    message: expect.stringContaining('No web backend that is ready can read pages'),
  })
})

test('a backend that declares it may look up addresses, and no other backend can be asked by it', async () => {
  add('ant', ['search'], undefined, { host: { value: ['web'], reason: 'test' } })
  add('zebra', ['extract'])
  const { web } = await open()
  await web.search({ query: 'x', most: 1 }, call)
  await web.extract(page.url, call)
  const [first, second] = webs
  expect(Object.keys(first ?? {})).toEqual(['resolve'])
  expect(await first?.resolve({ url: page.url, allowPrivate: true }, call)).toEqual(['127.0.0.1'])
  await expect(second?.resolve({ url: page.url, allowPrivate: true }, call)).rejects.toMatchObject({ code: 'PLUGIN_UNDECLARED' })
})

test('a chosen backend is the only one', async () => {
  add('ant', ['extract'])
  add('zebra', ['search'])
  const { web } = await open('zebra')
  expect([web.offers('search'), web.offers('extract')]).toEqual([true, false])
  await expect(web.extract('https://a.example', call)).rejects.toMatchObject({
    message: expect.stringContaining('zebra cannot read pages'),
  })
})

test('a choice that is not there, is off, or lacks its key is reported by the tool that needs it', async () => {
  add('zebra', ['search'])
  const ask = async (wanted: string, options?: Partial<CatalogOptions>) => {
    const { web } = await open(wanted, options)
    expect(web.offers('crawl')).toBe(true)
    return await web.search({ query: 'x', most: 5 }, call).catch((error: Error) => error)
  }
  expect(await ask('zebr')).toMatchObject({ code: 'WEB_BACKEND_UNKNOWN', message: expect.stringContaining('Did you mean "zebra"?') })
  const off = { settings: { entries: { 'web-backend-zebra': { enabled: false } }, deny: [] } }
  expect(await ask('zebra', off)).toMatchObject({ code: 'PLUGIN_BLOCKED', message: expect.stringContaining('agent plugins enable') })
  const keyless = { hasEnvironment: () => false }
  expect(await ask('zebra', keyless)).toMatchObject({ code: 'PLUGIN_BLOCKED', message: expect.stringContaining('MADE_UP_KEY') })
  const { web } = await open('', keyless)
  expect(web.offers('search')).toBe(false)
})

test('a backend is opened once for all callers, and closed when it is retired', async () => {
  add('ant', ['search', 'extract'])
  const { web, catalog } = await open()
  await Promise.all([web.search({ query: 'x', most: 1 }, call), web.search({ query: 'y', most: 1 }, call), web.extract(page.url, call)])
  expect(opened).toEqual(['ant'])
  const [contribution] = catalog.of('web-backend')
  if (contribution) await web.retire(contribution)
  expect(closed).toEqual(['ant'])
  await web.search({ query: 'x', most: 1 }, call)
  await web.close()
  expect([opened, closed]).toEqual([
    ['ant', 'ant'],
    ['ant', 'ant'],
  ])
})

test('no more comes than was asked for, and nothing that nobody reads', async () => {
  const more = { ...hit, rank: 1 }
  add('ant', ['search', 'crawl'], { search: async () => [more, more, more], crawl: async () => [page, page, page] })
  const { web } = await open()
  expect(await web.search({ query: 'x', most: 2 }, call)).toEqual([hit, hit])
  expect(await web.crawl({ url: page.url, most: 1 }, call)).toEqual([page])
})

test.each([
  ['throws', async () => Promise.reject(new TypeError('undefined is no function')), 'undefined is no function'],
  ['answers nonsense', async () => [{ url: 'https://a.example' }] as never, '0.title is missing'],
])('a backend that %s is named', async (_what, search, detail) => {
  add('ant', ['search'], { search })
  const { web } = await open()
  await expect(web.search({ query: 'x', most: 2 }, call)).rejects.toMatchObject({
    code: 'PLUGIN_FAILED',
    params: { plugin: 'web-backend-ant', during: 'web.search', detail: expect.stringContaining(detail) },
  })
  expect(warned).toMatchObject([{ plugin: 'web-backend-ant', method: 'search' }])
})

test('what a backend says of its failure stays, and the next question is asked', async () => {
  const answers = [Promise.reject(fail('ENV_MISSING', { name: 'MADE_UP_KEY', file: '.env' })), Promise.resolve([hit])]
  add('ant', ['search'], { search: async () => (await answers.shift()) ?? [] })
  const { web } = await open()
  await expect(web.search({ query: 'x', most: 2 }, call)).rejects.toMatchObject({ code: 'ENV_MISSING' })
  expect(await web.search({ query: 'x', most: 2 }, call)).toEqual([hit])
})

test('a backend that never answers is given up, and named', async () => {
  let given: AbortSignal | undefined
  const search: WebSource['search'] = (_search, { signal }) => {
    given = signal
    return new Promise(() => undefined)
  }
  add('ant', ['search'], { search })
  const { web } = await open()
  const asking = web.search({ query: 'x', most: 2 }, call).catch((error: Error) => error)
  await expect.poll(() => given).toBeDefined()
  await clock.advance(30_000)
  expect(await asking).toMatchObject({ code: 'TIMED_OUT', message: expect.stringContaining('web.search of web-backend-ant') })
  expect([given?.aborted, warned]).toMatchObject([true, [{ plugin: 'web-backend-ant' }]])
})

test('a question that is given up is nobody’s fault', async () => {
  add('ant', ['search'], { search: () => new Promise(() => undefined) })
  const { web } = await open()
  const controller = new AbortController()
  const asking = web.search({ query: 'x', most: 2 }, { ...call, signal: controller.signal })
  controller.abort()
  await expect(asking).rejects.toMatchObject({ code: 'INTERRUPTED' })
  expect(warned).toEqual([])
})

test('what was opened has to have the methods that are declared', async () => {
  add('ant', ['search'], {})
  const { web } = await open()
  await expect(web.search({ query: 'x', most: 2 }, call)).rejects.toMatchObject({ code: 'PLUGIN_SHAPE' })
  expect(closed).toEqual(['ant'])
})

test('addresses are checked before a backend is asked, and those that it came to afterwards', async () => {
  const extract: WebSource['extract'] = async (url) => ({ ...page, url: url.replace('moved', 'inside') })
  const crawl: WebSource['crawl'] = async () => [page, { ...page, url: 'https://inside.example' }]
  add('ant', ['extract', 'crawl'], { extract, crawl })
  const { web } = await open()
  const refused = { code: 'WEB_ADDRESS_REFUSED' }
  await expect(web.extract('https://inside.example', call)).rejects.toMatchObject(refused)
  await expect(web.crawl({ url: 'https://inside.example', most: 2 }, call)).rejects.toMatchObject(refused)
  expect(opened).toEqual([])
  await expect(web.extract('https://moved.example', call)).rejects.toMatchObject(refused)
  await expect(web.crawl({ url: page.url, most: 2 }, call)).rejects.toMatchObject(refused)
  expect(await web.crawl({ url: page.url, most: 1 }, call)).toEqual([page])
})
