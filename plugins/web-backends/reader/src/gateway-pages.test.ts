// @module-tag process
import { readdirSync, readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import type { FakeAnswer, FakeVendor } from '../../../../test/support/fakes/fake-vendor.ts'
import { runHere } from '../../../../test/support/test-cli.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { addWebBackend } from '../../../../test/support/web-backend.ts'
import { openSite } from '../test/site.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

const call = (name: string, args: object): FakeAnswer => ({ calls: [{ name, args: JSON.stringify(args) }] })
const told = ({ requests }: FakeVendor, at: number): string =>
  JSON.stringify((requests[at]?.body.messages as readonly unknown[] | undefined)?.at(-1))
const allowed = { security: { allow_private_urls: true } }
const configure = (more: object): string => home.write('config.yaml', JSON.stringify(more))
const chat = async (text: string): Promise<string> => (await runHere(home, ['chat', '-z', text])).out
const page = '<html><head><title>Bakery</title></head><body><p>Open from seven to noon.</p><a href="/bread">Bread</a></body></html>'
const bread = '<html><head><title>Bread</title></head><body><p>Rye, on Fridays.</p></body></html>'

test('the model is shown no tool for it, finds it by words, reads a page and answers', async () => {
  await using site = await openSite({ '/': page })
  const url = `http://127.0.0.1:${site.port}/`
  const answers = [
    call('tool_search', { query: 'read a web page' }),
    call('tool_call', { name: 'web_extract', arguments: { urls: [url] } }),
    { text: 'From seven to noon.' },
  ]
  await using model = await startFakeOpenai({ answers: [...answers, ...answers] })
  const custom = { model: { provider: 'custom', default: 'fake-model', base_url: model.url } }
  configure(custom)
  expect(await chat('When is the bakery open?')).toBe('From seven to noon.\n')
  expect(JSON.stringify(model.requests[0]?.body)).not.toMatch(/web_extract|web_crawl/)
  expect(told(model, 1)).toContain('web_extract')
  expect(told(model, 2)).toMatch(/127\.0\.0\.1:\d+\/ is not asked: it leads into a private network/)
  expect(site.asked).toEqual([])
  configure({ ...custom, ...allowed })
  await chat('When is the bakery open?')
  expect(told(model, 5)).toMatch(/Bakery\\\\?n.*Open from seven to noon\./)
})

test('a server that leads into the private network from outside of it is not followed, whatever the name', async () => {
  await using site = await openSite({ '/': page })
  configure({ security: { website_blocklist: ['localhost'], allow_private_urls: true } })
  await using outside = await openSite({
    '/': (response) => void response.writeHead(302, { location: `http://localhost:${site.port}/` }).end(),
  })
  expect(await chat(`call web_extract {"urls": ["http://127.0.0.1:${outside.port}/"]}`)).toMatch(
    /localhost:\d+\/ is not asked: security\.website_blocklist/,
  )
  expect([outside.asked, site.asked]).toEqual([['/'], []])
})

test('a reader that is switched off reads nothing', async () => {
  configure({ ...allowed, plugins: { entries: { 'web-backend-reader': { enabled: false } } } })
  expect(await chat('call web_extract {"urls": ["http://127.0.0.1:1/"]}')).toContain('There is no tool "web_extract"')
  configure({ ...allowed, web: { backend: 'reader' }, plugins: { entries: { 'web-backend-reader': { enabled: false } } } })
  expect(await chat('call web_extract {"urls": ["http://127.0.0.1:1/"]}')).toMatch(/web-backend-reader cannot run/)
})

proves(
  'purpose.web',
  'search and extraction run on the backend that is chosen, and just one of those that come with agent crawls',
  async () => {
    await using site = await openSite({ '/': page, '/bread': bread })
    const url = `http://127.0.0.1:${site.port}/`
    for (const id of ['ant', 'zebra']) addWebBackend(home, id)
    const entries = { 'web-backend-ant': { enabled: true }, 'web-backend-zebra': { enabled: true } }
    for (const backend of ['ant', 'zebra']) {
      configure({ ...allowed, web: { backend }, plugins: { entries } })
      expect(await chat('call web_search {"query": "bread"}')).toContain(`Found by ${backend}`)
      expect(await chat(`call web_extract {"urls": ["${url}"]}`)).toContain(`Words of ${backend}`)
    }
    configure({ ...allowed, web: { backend: 'reader' }, plugins: { entries } })
    expect(await chat(`call web_extract {"urls": ["${url}"]}`)).toContain('Open from seven to noon.')
    expect(await chat('call web_search {"query": "bread"}')).toContain('There is no tool "web_search"')
    expect(await chat(`call web_crawl {"url": "${url}"}`)).toMatch(/Open from seven to noon\..*Rye, on Fridays\./s)
    const kind = new URL('../../', import.meta.url)
    const crawling = readdirSync(kind).filter((name) =>
      /"crawl": true/.test(readFileSync(new URL(`${name}/agent.plugin.json`, kind), 'utf8')),
    )
    expect(crawling).toEqual(['reader'])
  },
)
