// @module-tag process
import { get } from 'node:http'
import type { HttpAdmit, HttpHandler, Platform } from '@agent/plugin-sdk'
import { createFakeClock, type FakeClock } from '@agent/plugin-sdk/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ExtensionRig, newCall, openExtensionRig } from '#kernel/extension-host/testing/extension-rig.ts'
import { platformOf } from '#kernel/testing/plugin-folder.ts'
import { silentLog } from '#observe/silent-log.ts'
import { type BuiltProgram, buildChildProgram } from '../../../../test/support/child-program.ts'
import { type CallbackListener, createCallbackListener } from './callback-listener.ts'

/** What a plugin in a child may answer: bodies of handlers, by the last word of the address. */
const acts: Readonly<Record<string, string>> = {
  well: `return { status: 200, body: 'well' }`,
  never: `return new Promise(() => {})`,
  throws: `throw new Error('made up')`,
  nothing: ``,
  text: `return 'well'`,
  status: `return { status: 'OK', body: '' }`,
  early: `return { status: 101 }`,
  injected: `return { status: 200, headers: { 'x-a': 'b\\r\\nset-cookie: c=d' }, body: '' }`,
  named: `return { status: 200, headers: { 'x-a: b\\r\\nset-cookie': 'd' }, body: '' }`,
  length: `return { status: 200, headers: { 'Content-Length': '3' }, body: 'well' }`,
  numbers: `return { status: 200, headers: { 'x-a': 7 }, body: '' }`,
  headers: `return { status: 200, headers: { 'x-a': 'a'.repeat(100_000) }, body: '' }`,
  body: `return { status: 200, body: { a: 1 } }`,
  large: `return { status: 200, body: 'a'.repeat(300_000_000) }`,
  bytes: `return { status: 200, body: new Uint8Array(300_000_000) }`,
  stream: `return { status: 200, body: (async function* () { for (let at = 0; at < 300; at++) yield 'a'.repeat(1_000_000) })() }`,
  values: `return { status: 200, body: (async function* () { yield 'a'; yield { b: 1 } })() }`,
  breaks: `return { status: 200, body: (async function* () { yield 'a'; throw new Error('made up') })() }`,
  silent: `return { status: 200, body: { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}), return: async () => { left++; return { done: true } } }) } }`,
  left: `return { status: 200, body: String(left) }`,
}

const source = `let left = 0
const acts = { ${Object.entries(acts)
  .map(([name, body]) => `${name}: async () => { ${body} }`)
  .join(',\n')} }
export default { connect: async (context) => {
  await context.http.route('/try/*', async ({ url }) => acts[url.split('/').at(-1)](), { perMinute: 1000 })
  return { send: async () => ({ status: 'sent' }), identity: async () => ({ id: 'a', name: 'a' }), lastHeard: async () => 0, close: async () => {} }
} }`

let program: BuiltProgram
let rig: ExtensionRig
let callbacks: CallbackListener
let clock: FakeClock
let url: string
beforeAll(async () => {
  program = await buildChildProgram()
  clock = createFakeClock()
  rig = await openExtensionRig({
    program: program.file,
    plugins: [{ id: 'platform-bad', source, manifest: { contributes: platformOf('bad') as never } }],
  })
  callbacks = createCallbackListener({ host: '127.0.0.1', port: 0, clock, log: silentLog })
  const contribution = rig.contribution('platform', 'bad')
  const { context } = rig.context(contribution)
  const http = {
    route: async (path: string, handler: HttpHandler, route: object, admit?: HttpAdmit) => {
      const opened = await callbacks.route({ ...route, owner: 'bad', path, handler, admit })
      url = opened.url
      return { url }
    },
  }
  await (await rig.activator.entry<Platform>(contribution)).connect({ ...context, http } as never, newCall())
})
afterAll(async () => {
  await callbacks.close()
  await rig[Symbol.asyncDispose]()
  await program[Symbol.asyncDispose]()
})

const ask = async (act: string): Promise<string> => {
  const response = await fetch(`${url}/${act}`)
  const text = await response.text().catch(() => 'broken off')
  return `${response.status} ${text.length > 1000 ? text.length : text}`
}

test.each([
  ['throws', /^500 .*made up/],
  ['nothing', /^500 .*answered with nothing/],
  ['text', /^500 .*answered with nothing/],
  ['status', /^500 .*a status that is none/],
  ['early', /^500 .*a status that is none/],
  ['injected', /^500 .*a header that cannot be sent/],
  ['named', /^500 .*a header that cannot be sent/],
  ['length', /^500 .*Content-Length, which is not its to set/],
  ['numbers', /^500 .*a header that is no text/],
  ['headers', /^500 .*more than 16384 characters of headers/],
  ['body', /^500 .*neither text nor bytes/],
  ['large', /^500 .*larger than/],
  ['bytes', /^500 .*larger than/],
  ['values', /^200 broken off/],
  ['breaks', /^200 broken off/],
  ['stream', /^200 300000000/],
])('a handler that answers with %s is told of, and the next request is answered', async (act, answer) => {
  expect(await ask(act)).toMatch(answer)
  expect(await ask('well')).toBe('200 well')
  expect(rig.hosts.status()[0]?.faults ?? 0).toBe(0)
})

test('who waits for a handler that never answers is told after a minute, and not all of them wait', async () => {
  const waiting = Array.from({ length: 128 }, () => ask('never'))
  await rig.until(() => clock.sleeping() >= 128)
  expect(await ask('well')).toMatch(/^503 /)
  await clock.advance(60_000)
  for (const answer of await Promise.all(waiting)) expect(answer).toMatch(/^504 .*did not finish within 60000 ms/)
  expect(await ask('well')).toBe('200 well')
})

test('a stream that gives nothing ends in the plugin when its reader leaves', async () => {
  const asked = get(`${url}/silent`, (response) => response.destroy())
  asked.on('error', () => undefined)
  let answer = ''
  while (answer !== '200 1') answer = await ask('left')
})
