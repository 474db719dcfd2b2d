// @module-tag process
import { afterEach, beforeEach, expect } from 'vitest'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import { runAgent } from '../../support/run-agent.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome, type TestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
})
afterEach(() => home[Symbol.dispose]())

const variable = (name: string): string => `\${${name}}`
const refusing = { answers: [{ refuse: { status: 401, message: 'Incorrect API key provided' } }] }
const seenBy = ({ requests }: { readonly requests: readonly { readonly headers: object }[] }): string =>
  JSON.stringify(requests.map(({ headers }) => headers))

proves('config.fallback-model', 'the model of fallback_model answers where the chosen one does not, and is named', async () => {
  await using first = await startFakeOpenai(refusing)
  await using second = await startFakeOpenai({ answers: [{ text: 'I am the other one.' }] })
  const entry = { provider: 'vllm', model: 'fake-model', base_url: second.url, api_key: variable('SECOND_KEY') }
  home.write('.env', 'FIRST_KEY=key-of-the-first\nSECOND_KEY=key-of-the-second\n')
  home.write(
    'config.yaml',
    JSON.stringify({
      model: { provider: 'custom', default: 'fake-model', base_url: first.url, api_key: variable('FIRST_KEY') },
      fallback_model: entry,
    }),
  )
  const { code, out, note } = await runAgent(home, ['chat', '-z', 'hello'])
  expect([code, out.trim()]).toEqual([0, 'I am the other one.'])
  expect(note).toMatch(/vllm\/fake-model answers instead/)
  expect([seenBy(first).includes('key-of-the-first'), seenBy(first).includes('key-of-the-second')]).toEqual([true, false])
  expect([seenBy(second).includes('key-of-the-first'), seenBy(second).includes('key-of-the-second')]).toEqual([false, true])
})

proves('purpose.fallback', 'of a chain each is asked in its order, and the last failure is told', async () => {
  await using first = await startFakeOpenai(refusing)
  await using second = await startFakeOpenai({ answers: [{ refuse: { status: 402, message: 'Insufficient credits' } }] })
  await using third = await startFakeOpenai({ answers: [{ text: 'Third.' }] })
  const one = { provider: 'vllm', model: 'fake-model', base_url: second.url }
  const two = { provider: 'llamacpp', model: 'fake-model', base_url: third.url }
  const write = (list: readonly object[]) =>
    home.write(
      'config.yaml',
      JSON.stringify({ model: { provider: 'custom', default: 'fake-model', base_url: first.url }, fallback_providers: list }),
    )
  write([one, two])
  expect((await runHere(home, ['chat', '-z', 'hello'])).out.trim()).toBe('Third.')
  expect([first, second, third].map(({ requests }) => requests.length)).toEqual([1, 1, 1])
  write([one])
  const failed = await runHere(home, ['chat', '-z', 'hello'])
  expect([failed.code, failed.note]).toEqual([1, expect.stringContaining('Insufficient credits')])
  write([{ provider: 'offline', model: 'offline' }])
  expect((await runHere(home, ['chat', '-z', 'hello'])).note).toMatch(/the offline model stands in for no other/)
})
