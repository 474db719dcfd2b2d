// @module-tag server
import { isIP } from 'node:net'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import type { Call, Context, WebBackend, WebSource } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Answer, openSite, type Site } from '../test/site.ts'
import backend from './reader.ts'

const controller = new AbortController()
const call: Call = { id: 'c', signal: controller.signal, deadline: 60_000 }

let source: WebSource
let site: Site | undefined
let resolved: string[]
let slept: number[]
let effects: (() => void | Promise<void>)[]
/** Where names lead; what is not here is refused, as the host refuses private addresses. */
let names: Record<string, readonly string[]>

beforeEach(async () => {
  ;[site, resolved, slept, effects] = [undefined, [], [], []]
  names = { 'site.example': ['127.0.0.1'], 'other.example': ['127.0.0.1'] }
  source = await backend.open(createContext(), call)
})
afterEach(async () => {
  for (const effect of effects) await effect()
  await site?.[Symbol.asyncDispose]()
})

/** Pauses between requests end at once and are noted; limits of time go by the clock of the machine. */
function createContext(): Parameters<WebBackend['open']>[0] {
  const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
    new Promise((done, failed) => {
      if (ms < 10_000) slept.push(ms)
      const timer = setTimeout(done, ms < 10_000 ? 0 : ms)
      signal?.addEventListener('abort', () => {
        clearTimeout(timer)
        failed(signal.reason)
      })
    })
  const resolve = async ({ url, allowPrivate }: { url: string; allowPrivate: boolean }): Promise<readonly string[]> => {
    const { hostname } = new URL(url)
    resolved.push(hostname)
    const found = names[hostname]
    if (found && !allowPrivate) return found
    throw fail('WEB_ADDRESS_REFUSED', { url, reason: isIP(hostname) ? 'it leads into a private network' : 'its name leads to no address' })
  }
  const about: Context['about'] = { plugin: 'web-backend-reader', contribution: 'reader', profile: 'default', agentVersion: '1.2.3' }
  const context = { about, clock: { now: Date.now, sleep }, effect: (undo: () => void) => void effects.push(undo), web: { resolve } }
  return context as unknown as Parameters<WebBackend['open']>[0]
}

async function serve(pages: Readonly<Record<string, Answer>>): Promise<Site> {
  site = await openSite(pages)
  return site
}

async function extract(answer: Answer, given: Call = call) {
  const { at } = await serve({ '/page': answer })
  return await source.extract?.(`${at('site.example')}/page`, given)
}

const send =
  (body: string | Uint8Array, headers: Readonly<Record<string, string>>, status = 200): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(body)
const html = (text: string): string => `<html><head><title>T</title></head><body><p>${text}</p></body></html>`

test('a page is read at the address that was checked, and the server is told who asks', async () => {
  expect(await extract(html('Hello'))).toEqual({ url: `http://site.example:${site?.port}/page`, title: 'T', text: 'Hello' })
  expect(resolved).toEqual(['site.example'])
  expect(site?.headers()).toMatchObject({ host: `site.example:${site?.port}`, 'user-agent': expect.stringContaining('agent-reader/1.2.3') })
  expect(site?.headers()).not.toHaveProperty('cookie')
})

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
])('what is packed as %s is unpacked', async (packing, pack) => {
  const headers = { 'content-type': 'text/html', 'content-encoding': packing }
  expect(await extract(send(pack(html('Hello')), headers))).toMatchObject({ text: 'Hello' })
})

test.each([
  ['gzip', gzipSync],
  ['br', brotliCompressSync],
])('a small answer that unpacks to a large one is not read: %s', async (packing, pack) => {
  const packed = pack(Buffer.alloc(60_000_000, 'a'))
  await expect(extract(send(packed, { 'content-type': 'text/html', 'content-encoding': packing }))).rejects.toMatchObject({
    code: 'PLUGIN_FAILED',
    message: expect.stringMatching(/site\.example:\d+\/page has more than 5 MB, so it is not read/),
  })
})

test('an answer without an end is left when it is too long', async () => {
  const endless: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' })
    const more = (): void => {
      while (!response.destroyed && response.write('x'.repeat(100_000)));
      response.once('drain', more)
    }
    more()
  }
  await expect(extract(endless)).rejects.toThrow(/more than 5 MB/)
})

test.each([
  ['text/plain', 'a < b', 'a < b'],
  ['application/json; charset=utf-8', '{"a":1}', '{"a":1}'],
  ['application/atom+xml', '<feed/>', '<feed/>'],
  ['text/html; charset=iso-8859-1', Buffer.from(html('caf\xe9'), 'latin1'), 'café'],
  ['', html('Hello'), 'Hello'],
  ['', 'Hello', 'Hello'],
])('%s is read', async (type, body, text) => {
  expect(await extract(send(body, type === '' ? {} : { 'content-type': type }))).toMatchObject({ text })
})

test.each([
  [
    'a file',
    send('%PDF-1.7', { 'content-type': 'application/pdf' }),
    /\/page is no page but application\/pdf, which is not read: fetch it/,
  ],
  ['bytes', send(Buffer.from([0, 1, 2]), {}), /no page but application\/octet-stream/],
  ['another packing', send('x', { 'content-type': 'text/html', 'content-encoding': 'zstd' }), /packed as zstd/],
  ['wrong packing', send('x', { 'content-type': 'text/html', 'content-encoding': 'gzip' }), /breaks off/],
  ['nothing there', send('x', {}, 404), /\/page answered 404\./],
  ['refused', send('x', {}, 403), /answered 403: it may refuse programs/],
  ['a page of scripts', '<html><body><script>draw()</script></body></html>', /has no text in it/],
  [
    'a line that breaks',
    (response) => void response.writeHead(200, { 'content-length': '9' }).write('x', () => response.destroy()),
    /breaks off/,
  ],
] as const satisfies readonly (readonly [string, Answer, RegExp])[])(
  '%s is a failure that names the address',
  async (_name, answer, words) => {
    await expect(extract(answer)).rejects.toMatchObject({ code: 'PLUGIN_FAILED', message: expect.stringMatching(words) })
  },
)

test('it is led on five times, and each address is checked', async () => {
  const hop = (to: string): Answer => send('', { location: to }, 302)
  const { at } = await serve({ '/1': hop('/2'), '/2': hop('/3'), '/3': hop('/4'), '/4': hop('/5'), '/5': hop('/6'), '/6': html('End') })
  expect(await source.extract?.(`${at('site.example')}/1`, call)).toMatchObject({ url: `${at('site.example')}/6`, text: 'End' })
  expect(resolved).toHaveLength(6)
  await site?.[Symbol.asyncDispose]()
  const loop = await serve({ '/1': hop('/1') })
  await expect(source.extract?.(`${loop.at('site.example')}/1`, call)).rejects.toThrow(/leads on more than 5 times/)
})

test.each(['http://169.254.169.254/latest/meta-data/', 'http://[::1]/', 'http://inside.example/', 'file:///etc/passwd'])(
  'a server that leads on to %s is not followed',
  async (target) => {
    await expect(extract(send('', { location: target }, 307))).rejects.toMatchObject({ code: 'WEB_ADDRESS_REFUSED' })
    expect(site?.asked).toEqual(['/page'])
  },
)

test('a name that leads elsewhere a moment later leads nowhere: only checked addresses are connected to', async () => {
  const { port } = await serve({ '/page': html('Inside') })
  // The name localhost would lead to the site; what was checked is another address, where nobody listens.
  names = { localhost: ['127.0.0.2'] }
  await expect(source.extract?.(`http://localhost:${port}/page`, call)).rejects.toThrow(/cannot be reached/)
  expect(site?.asked).toEqual([])
})

test('a server that wants to speak another protocol, or leads on to an endless address, is said so at once', async () => {
  const switching: Answer = (response) =>
    void response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n')
  await expect(extract(switching)).rejects.toThrow('it wants to speak another protocol')
  await site?.[Symbol.asyncDispose]()
  await expect(extract(send('', { location: `/${'x'.repeat(3000)}` }, 302))).rejects.toThrow('leads on to something that is no address')
})

test('a call that is given up ends, while the server is silent', async () => {
  const own = new AbortController()
  const reading = extract(() => own.abort(fail('INTERRUPTED')), { ...call, signal: own.signal })
  await expect(reading).rejects.toMatchObject({ code: 'INTERRUPTED' })
})

test('a page that the thread cannot hold fails alone, and the next is read', async () => {
  const deep = '<div>'.repeat(20_000)
  const { at } = await serve({ '/deep': `<html><body>${deep}`, '/page': html('Hello') })
  const read = (path: string) => source.extract?.(at('site.example') + path, call)
  const [first, second] = await Promise.allSettled([read('/deep'), read('/page')])
  expect(first).toMatchObject({ status: 'rejected', reason: { code: expect.stringMatching(/PLUGIN_FAILED|TIMED_OUT/) } })
  expect(second).toMatchObject({ status: 'fulfilled', value: { text: 'Hello' } })
})

const linked = (...links: readonly string[]): string => html(links.map((link) => `<a href="${link}">${link}</a>`).join(' '))

test('pages of the site are followed, the nearest first and each once, with a pause between them', async () => {
  const { at } = await serve({
    '/': linked('/a', '/b#part', '/a', 'http://other.example/', '/gone', '/file'),
    '/a': linked('/deep', '/'),
    '/b': html('B'),
    '/file': send('%PDF', { 'content-type': 'application/pdf' }),
    '/deep': html('Deep'),
  })
  const pages = await source.crawl?.({ url: `${at('site.example')}/`, most: 10 }, call)
  expect(pages?.map(({ url }) => new URL(url).pathname)).toEqual(['/', '/a', '/b', '/deep'])
  expect(site?.asked).toEqual(['/robots.txt', '/', '/a', '/b', '/gone', '/file', '/deep'])
  expect(slept).toEqual([500, 500, 500, 500, 500])
  expect(resolved).not.toContain('other.example')
})

test('what a site asks of programs is kept to, also by pages that lead on', async () => {
  const robots = send('User-agent: *\nDisallow: /private\nCrawl-delay: 3', { 'content-type': 'text/plain' })
  const { at } = await serve({
    '/robots.txt': robots,
    '/': linked('/private/a', '/leads', '/away', '/b'),
    '/leads': send('', { location: '/private/a' }, 302),
    '/away': (response) => void response.writeHead(302, { location: `http://other.example:${site?.port}/` }).end(),
    '/private/a': html('Secret'),
    '/b': html('B'),
  })
  const pages = await source.crawl?.({ url: `${at('site.example')}/`, most: 10 }, call)
  expect(pages?.map(({ url }) => new URL(url).pathname)).toEqual(['/', '/b'])
  expect(site?.asked).not.toContain('/private/a')
  expect([resolved.includes('other.example'), slept[0]]).toEqual([false, 3000])
  await expect(source.crawl?.({ url: `${at('site.example')}/private/a`, most: 2 }, call)).rejects.toThrow(/robots\.txt asks programs not/)
  expect(await source.extract?.(`${at('site.example')}/private/a`, call)).toMatchObject({ text: 'Secret' })
})

test('a site whose rules cannot be had is not followed, and one without rules is', async () => {
  const { at } = await serve({ '/robots.txt': send('', {}, 500), '/': html('Hello') })
  await expect(source.crawl?.({ url: `${at('site.example')}/`, most: 2 }, call)).rejects.toThrow(/robots\.txt answered 500/)
})

test('a first page that leads to another site makes that one the site that is followed', async () => {
  const { at, port } = await serve({
    '/': (response, { headers }) => {
      if (headers.host?.startsWith('site.')) response.writeHead(301, { location: `http://other.example:${port}/` }).end()
      else response.writeHead(200, { 'content-type': 'text/html' }).end(linked('/a'))
    },
    '/a': html('A'),
  })
  const pages = await source.crawl?.({ url: `${at('site.example')}/`, most: 3 }, call)
  expect(pages?.map(({ url }) => url)).toEqual([`${at('other.example')}/`, `${at('other.example')}/a`])
})

test('of a crawl that is given up nothing goes on', async () => {
  const own = new AbortController()
  const { at } = await serve({ '/': linked('/a', '/b'), '/a': () => own.abort(fail('INTERRUPTED')), '/b': html('B') })
  await expect(source.crawl?.({ url: `${at('site.example')}/`, most: 3 }, { ...call, signal: own.signal })).rejects.toMatchObject({
    code: 'INTERRUPTED',
  })
  expect(site?.asked).not.toContain('/b')
})
