// @module-tag process
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type BuiltProgram, buildChildProgram } from '../support/child-program.ts'
import { addHooks, addPlatform, openReloadGateway } from '../support/gateways/reload-gateway.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

let program: BuiltProgram
let home: TestHome
beforeAll(async () => {
  program = await buildChildProgram()
})
afterAll(() => program[Symbol.asyncDispose]())
beforeEach(() => {
  home = openTestHome()
  addPlatform(home, 'calm')
})
afterEach(() => home[Symbol.dispose]())

/** Writes config.yaml: the platform runs in this process, the hooks where `isolation` says. */
function switchOn(isolation: 'inproc' | 'process'): void {
  const entries = {
    'platform-calm': { enabled: true, isolation: 'inproc' },
    'hooks-house': { enabled: true, isolation },
  }
  home.write('config.yaml', JSON.stringify({ plugins: { entries }, platforms: { calm: { allow_from: ['ann'] } } }))
}

const where = ['inproc', 'process'] as const

test.each(where)('message.inbound refuses what people say, before any turn or command (%s)', async (isolation) => {
  const code = `
export default {
  open: async () => ({
    hooks: {
      'message.inbound': async ({ platform, message }) => {
        if (message.text.includes('break')) throw new Error('no idea')
        return message.text.includes('lottery') ? { refuse: platform + ' is no casino' } : undefined
      },
    },
  }),
}`
  addHooks(home, 'house', [{ name: 'message.inbound', filter: { platform: ['calm'] } }], code)
  switchOn(isolation)
  await using opened = await openReloadGateway(home, { childProgram: program.file })
  const { talk } = opened.service('calm')
  expect(await talk('you won the lottery')).toBe('hooks-house refused at message.inbound: calm is no casino.')
  expect(await talk('/title lottery')).toBe('hooks-house refused at message.inbound: calm is no casino.')
  expect(await talk('break')).toContain('hooks-house refused at message.inbound')
  expect(await talk('good morning')).toMatch(/^Hello!/)
  expect((await opened.agent.store.sessions.list({ limit: 9 })).length).toBe(1)
})

test.each(where)('message.outbound changes what is sent; what becomes too long or fails stays as it was (%s)', async (isolation) => {
  const code = `
export default {
  open: async () => ({
    hooks: {
      'message.outbound': async ({ message }) => {
        if (message.text.includes('break')) throw new Error('no idea')
        if (message.text.includes('long')) return { message: { ...message, text: 'x'.repeat(100_000) } }
        return { message: { ...message, conversation: 'elsewhere', text: message.text.replaceAll('secret', '******') } }
      },
    },
  }),
}`
  addHooks(home, 'house', [{ name: 'message.outbound' }], code)
  switchOn(isolation)
  await using opened = await openReloadGateway(home, { childProgram: program.file })
  const { talk } = opened.service('calm')
  expect(await talk('a secret word')).toMatch(/a \*{6} word/)
  expect(await talk('a long secret')).toContain('a long secret')
  expect(await talk('a break secret')).toContain('a break secret')
})

test('session.end tells which session ended, and why', async () => {
  const code = `
export default {
  open: async ({ state }) => ({
    hooks: { 'session.end': async ({ session, reason }) => state.set('last', { session, reason }) },
  }),
}`
  addHooks(home, 'house', [{ name: 'session.end' }], code)
  switchOn('inproc')
  await using opened = await openReloadGateway(home)
  const { talk } = opened.service('calm')
  await talk('hello')
  const [session] = await opened.agent.store.sessions.list({ limit: 9 })
  await talk('/new')
  await expect.poll(() => opened.agent.store.kv.get('hooks-house', 'last')).toMatchObject({ session: session?.id, reason: 'new' })
})
