// @module-tag process
import { openFakeServer } from '@agent/plugin-sdk/testing'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { readText } from '../repo/source-files.ts'
import { type BuiltProgram, buildChildProgram } from '../support/child-program.ts'
import { startFakeOpenai } from '../support/fakes/fake-openai.ts'
import { addPlatform, openReloadGateway } from '../support/gateways/reload-gateway.ts'
import { runHere } from '../support/test-cli.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'
import { addWebBackend } from '../support/web-backend.ts'

let program: BuiltProgram
let home: TestHome
beforeAll(async () => {
  program = await buildChildProgram()
})
afterAll(() => program[Symbol.asyncDispose]())
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

/** Writes config.yaml with these plugins on. */
const configure = (on: Readonly<Record<string, object>>, more: object = {}): void => {
  const entries = Object.fromEntries(Object.entries(on).map(([id, entry]) => [id, { enabled: true, ...entry }]))
  home.write('config.yaml', JSON.stringify({ plugins: { entries }, platforms: { calm: { allow_from: ['ann'] } }, ...more }))
}
const run = async (...words: string[]): Promise<string> => (await runHere(home, words)).out
const chat = (text: string): Promise<string> => run('chat', '-z', text)

test.each(['inproc', 'process'])(
  'the model searches and reads through a backend of somebody else, tool and backend %s',
  async (isolation) => {
    addWebBackend(home, 'ant', ['search', 'extract', 'crawl'])
    configure({ 'web-backend-ant': { isolation }, 'toolset-web': { isolation } })
    expect(await chat('call web_search {"query": "words"}')).toContain('Found by ant')
    expect(await chat('call web_extract {"urls": ["https://93.184.216.34/one", "http://127.0.0.1:1/"]}')).toMatch(
      /Words of ant.*http:\/\/127\.0\.0\.1:1\/ is not asked: it leads into a private network/s,
    )
    expect(await chat('call web_crawl {"url": "https://93.184.216.34/"}')).toContain('Words of ant')
    expect(await chat('call web_search {"query": "fail"}')).toContain('web-backend-ant failed during web.search: it was asked to.')
  },
)

test('private addresses are read where the owner permits it', async () => {
  addWebBackend(home, 'ant')
  configure({ 'web-backend-ant': {} }, { security: { allow_private_urls: true } })
  expect(await chat('call web_extract {"urls": ["http://127.0.0.1:1/"]}')).toContain('Words of ant')
})

test('a tool is there when a backend can do it', async () => {
  expect(await chat('call web_search {"query": "words"}')).toContain('There is no tool "web_search"')
  expect(await run('tools')).toMatch(/web_search +no web backend.*web_extract +Read up to five.*web_crawl +Read a web page/s)
  expect(await run('doctor')).toMatch(/ok +web +extract by reader, crawl by reader\n/)
  const withoutReader = { 'web-backend-reader': { enabled: false } }
  configure(withoutReader)
  expect(await run('tools')).toMatch(/^web {2}no web backend that is ready can do it$/m)
  expect(await run('doctor')).toMatch(/ok +web +no web backend is ready/)
  addWebBackend(home, 'ant')
  configure({ 'web-backend-ant': {}, ...withoutReader })
  expect(await chat('call web_crawl {"url": "https://a.example"}')).toMatch(/There is no tool "web_crawl"\. .*web_search/)
  expect(await run('tools')).toMatch(/web_search +Search the web.*web_crawl +no web backend/s)
  expect(await run('doctor')).toMatch(/ok +web +search by ant, extract by ant\n/)
  expect(await run('config', 'set', 'web.backend', 'bee')).toContain('web.backend is set')
  expect(await runHere(home, ['doctor'])).toMatchObject({ code: 1, out: expect.stringMatching(/problem +web +web.backend names "bee"/) })
})

test('a backend whose process ends fails the call, not the conversation, and answers again from a new one', async () => {
  addPlatform(home, 'calm')
  addWebBackend(home, 'ant')
  // A sandbox would give each process the same number.
  configure({ 'platform-calm': { isolation: 'inproc' }, 'web-backend-ant': { sandbox: 'off' } })
  await using opened = await openReloadGateway(home, { childProgram: program.file })
  const calm = opened.service('calm')
  const search = (query: string): Promise<string> => calm.talk(`call web_search {"query": "${query}"}`)
  const processOf = (text: string): string | undefined => /in process (\d+)/.exec(text)?.[1]
  const first = processOf(await search('words'))
  expect([first !== undefined, first === String(process.pid)]).toEqual([true, false])
  expect(await search('die')).toContain('web-backend-ant failed')
  await expect.poll(async () => processOf(await search('words')), { timeout: 20_000 }).toMatch(/^\d+$/)
  expect(processOf(await search('words'))).not.toBe(first)
})

test('a running gateway takes over another backend, another choice and the last one’s end', async () => {
  addPlatform(home, 'calm')
  for (const id of ['ant', 'zebra']) addWebBackend(home, id)
  const on = { 'platform-calm': { isolation: 'inproc' }, 'web-backend-zebra': {} }
  configure(on)
  await using opened = await openReloadGateway(home, { childProgram: program.file })
  const calm = opened.service('calm')
  const search = (): Promise<string> => calm.talk('call web_search {"query": "words"}')
  expect(await search()).toContain('Found by zebra')
  configure({ ...on, 'web-backend-ant': {} })
  expect((await opened.gateway.reload()).parts).toMatchObject([{ kind: 'web-backend', id: 'ant', did: 'opened' }])
  expect(await search()).toContain('Found by ant')
  expect(await run('config', 'set', 'web.backend', 'zebra')).toContain('The running gateway')
  expect(await search()).toContain('Found by zebra')
  await run('plugins', 'disable', 'web-backend-zebra')
  expect(await search()).toContain('web-backend-zebra cannot run')
  await run('config', 'unset', 'web.backend')
  await run('plugins', 'disable', 'web-backend-ant')
  expect(await search()).toContain('No web backend that is ready can search')
  await calm.talk('/new')
  expect(await search()).toContain('There is no tool "web_search"')
  expect(calm.connects).toBe(1)
})

test('what the page about the web says works, against a server that answers as SearXNG does', async () => {
  const blocks = [...readText('host/docs/search-the-web.md').matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)]
  const [ini = '', begin = '', choose = '', decide = ''] = blocks.map(([, , text = '']) => text)
  const results = [{ url: 'https://a.example/bread', title: 'Sourdough', content: 'It rises.' }]
  await using server = await openFakeServer(() => ({ status: 200, body: JSON.stringify({ results }) }))
  const calls = [{ name: 'web_search', args: '{"query": "sourdough"}' }]
  await using model = await startFakeOpenai({ answers: [{ calls }, { text: 'It rises.' }] })
  const settings = ini.replace(/http:\S+/, server.url)
  home.write('.env', `${settings}CUSTOM_API_KEY=any\nCUSTOM_BASE_URL=${model.url}\nAGENT_INFERENCE_PROVIDER=custom\n`)
  const type = async (block: string): Promise<string> => {
    let out = ''
    for (const line of block.trim().split('\n')) {
      const words = [...line.replace(/ {2,}#.*/, '').matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
      const ran = await runHere(home, words.slice(1))
      expect(ran, line).toMatchObject({ code: 0 })
      out += ran.out
    }
    return out
  }
  await run('config', 'set', 'model.default', 'fake-model')
  expect(await type(begin)).toMatch(/web +search by searxng, extract by reader, crawl by reader\n.*It rises\./s)
  expect(server.journal.map(({ url }) => url)).toEqual(['/search?q=sourdough&format=json'])
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain('https://a.example/bread')
  await type(choose)
  await type(decide)
  expect(await run('config', 'get', 'security', '--json')).toMatch(/example\.com.*"allow_private_urls": true/s)
}, 60_000)
