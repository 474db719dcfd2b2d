// @module-tag browser
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { startFakeOpenai } from '../../../../test/support/fakes/fake-openai.ts'
import type { FakeAnswer } from '../../../../test/support/fakes/fake-vendor.ts'
import { runHere } from '../../../../test/support/test-cli.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'
import { openSite } from './site.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

const call = (name: string, args: object): FakeAnswer => ({ calls: [{ name, args: JSON.stringify(args) }] })
const through = (name: string, args: object): FakeAnswer => call('tool_call', { name, arguments: args })

/** Commands of the page about browsers, as somebody types them. */
const commands = [
  ...readFileSync(new URL('../../../../host/docs/use-a-browser.md', import.meta.url), 'utf8').matchAll(/^```sh\n([\s\S]*?)^```$/gm),
].flatMap(([, block = '']) => block.trim().split('\n'))

async function type(line: string): Promise<string> {
  const words = [...line.matchAll(/'([^']*)'|\S+/g)].map(([word, quoted]) => quoted ?? word)
  const ran = await runHere(home, words.slice(1))
  expect(ran, line).toMatchObject({ code: 0 })
  return ran.out
}

test('what the page about browsers says works: the model finds the tools, and pages of this machine are refused until they are allowed', async () => {
  const site = await openSite()
  const url = `http://127.0.0.1:${site.port}/`
  const answers = [
    call('tool_search', { query: 'open a web page in a browser' }),
    through('browser_navigate', { url }),
    { text: 'It leads to an order.' },
  ]
  await using model = await startFakeOpenai({ answers: [...answers, ...answers] })
  home.write('config.yaml', JSON.stringify({ model: { provider: 'custom', default: 'fake-model', base_url: model.url } }))
  const [talk = '', ...settings] = commands.filter((line) => line.startsWith('agent '))
  const told = (at: number) => JSON.stringify((model.requests[at]?.body.messages as readonly unknown[] | undefined)?.at(-1))
  expect(await type(talk)).toBe('It leads to an order.\n')
  expect(JSON.stringify(model.requests[0]?.body)).not.toContain('browser_navigate')
  expect(told(1)).toContain('browser_navigate')
  expect(told(2)).toMatch(/private network/)
  for (const line of settings) await type(line)
  await type(talk)
  expect(told(5)).toMatch(/Shop\\+" — http.*link \\+"Order/)
  await site.close()
})

proves('slash.browser', '/browser connects the browser of the person at the terminal, tells its status, and lets it go', async () => {
  const browser = createServer((request, response) => {
    response.end(request.url === '/json/version' ? '{"Browser": "Chrome/156.0"}' : '')
  })
  await new Promise<void>((done) => browser.listen(0, '127.0.0.1', done))
  const url = `http://127.0.0.1:${(browser.address() as AddressInfo).port}`
  const lines = [
    'status',
    `connect ${url}`,
    'status',
    'disconnect',
    'disconnect',
    'connect http://127.0.0.1:9',
    'connect nowhere',
    'borrow',
  ]
  const { out, note } = await runHere(home, ['chat'], { input: `${lines.map((line) => `/browser ${line}`).join('\n')}\n` })
  const said = `${out}\n${note}`
  const sentences = [
    'browser.cdp_url names, else it starts a separate browser',
    `Chrome/156.0 at ${url} is connected`,
    `Your own browser at ${url} is connected`,
    'is no longer used',
    'No browser of yours is connected',
    'No browser answers at http://127.0.0.1:9',
    'nowhere is no address of a browser',
    '/browser does not take borrow',
  ]
  for (const sentence of sentences) expect(said.replaceAll(/\s+/g, ' ')).toContain(sentence)
  await new Promise((done) => browser.close(done))
})
