import { expect, test } from 'vitest'
import { fail } from '../../contract/errors.ts'
import type { Call } from '../../contract/wire.ts'
import type { Gate, GateReturn, OpenGate } from '../../kinds/gate.ts'
import { type Manifest, manifestSchema } from '../../kinds/manifest.ts'
import { openClone } from '../rig/subject.ts'
import { type GateWorld, gateContract } from './gate.ts'

const manifestOf = (way: 'password' | 'redirect'): Manifest =>
  manifestSchema.parse({
    ...{ manifestVersion: 1, id: 'gate-door', name: 'Door', description: 'd', version: '1.0.0', license: 'MIT', api: { gate: 1 } },
    contributes: { gates: [{ id: 'door', entry: 'dist/gate.door.js', label: 'Door', way }] },
  })

const never = ({ signal }: Call): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
const lost = { [Symbol.asyncDispose]: async () => undefined }

const passwords: GateWorld = {
  ...{ config: {}, silent: { config: { silent: true } }, ...lost },
  right: { name: 'ann', password: 'right' },
  stranger: { name: 'eve', password: 'right' },
}
const query = async (url: string): Promise<Record<string, string>> => ({ state: new URL(url).searchParams.get('state') ?? '' })
const pages: GateWorld = {
  ...{ config: {}, silent: { config: { silent: true } }, ...lost },
  visit: async (url) => ({ ...(await query(url)), code: new URL(url).searchParams.get('code') ?? '' }),
  decline: async (url) => ({ ...(await query(url)), error: 'access_denied' }),
}

/** Each keeps every rule; `change` replaces parts of it. */
const byPassword = (change: Partial<Record<keyof OpenGate, unknown>> = {}): OpenGate =>
  ({ check: async ({ name, password }) => (name === 'ann' && password === 'right' ? { id: 'ann' } : null), ...change }) as OpenGate
const byPage = (change: Partial<Record<keyof OpenGate, unknown>> = {}): OpenGate =>
  ({
    begin: async ({ state }) => ({ url: `https://id.example/?state=${state}&code=${state}-code`, kept: { code: `${state}-code` } }),
    finish: async ({ query: { code }, kept }) => {
      if (code === undefined) throw fail('PLUGIN_FAILED', { plugin: 'gate-door', during: 'a login', detail: 'nobody has logged in' })
      return code === (kept as { readonly code: string }).code ? { id: 'ann' } : null
    },
    end: async () => ({ url: 'https://id.example/logout' }),
    ...change,
  }) as OpenGate

async function findings(way: 'password' | 'redirect', opened: OpenGate, world = way === 'password' ? passwords : pages): Promise<string[]> {
  const entry: Gate<{ readonly silent?: boolean }> = {
    open: async ({ config }) => {
      if (!config.silent) return opened
      return way === 'password' ? { check: (_given, call) => never(call) } : { ...opened, begin: (_journey, call) => never(call) }
    },
  }
  const open = async () => openClone('gate', entry as Gate)
  const subject = { kind: 'gate', manifest: manifestOf(way), contribution: 'door', place: 'clone', open } as const
  const found: string[] = []
  for (const { rule, run } of gateContract({ subject, patienceMs: 500, world: async () => world })) {
    await run().catch((error: Error & { code?: string }) =>
      found.push(error.code === 'CONTRACT_BROKEN' ? rule : `${rule}: ${error.message}`),
    )
  }
  return [...new Set(found)]
}

test('sound gates of both ways keep every rule', async () => {
  expect(await findings('password', byPassword())).toEqual([])
  expect(await findings('redirect', byPage())).toEqual([])
})

test.each([
  ['a way that it does not have', { begin: async () => ({ url: 'https://id.example/' }) }, ['shape']],
  ['everybody', { check: async () => ({ id: 'ann' }) }, ['refuse']],
  [
    'who names nobody',
    {
      check: async ({ name }: { name: string }) =>
        name === '' ? { id: 'guest' } : byPassword().check?.({ name, password: 'right' }, call),
    },
    ['refuse'],
  ],
  ['nobody', { check: async () => null }, ['admit']],
  ['another person each time', { check: randomly() }, ['admit']],
  ['an error without a code', { check: async (given: { password: string }) => throwUnless(given.password === 'right') }, ['refuse']],
])('a gate by password that lets in %s is found', async (_what, change, rules) => {
  expect(await findings('password', byPassword(change))).toEqual(rules)
})

const call: Call = { id: 'c', signal: new AbortController().signal, deadline: 1000 }

function randomly(): OpenGate['check'] {
  let count = 0
  return async ({ name, password }) => (name === 'ann' && password === 'right' ? { id: `ann-${count++}` } : null)
}

async function throwUnless(isRight: boolean): Promise<{ readonly id: string }> {
  if (isRight) return { id: 'ann' }
  throw new Error('boom')
}

const finish = async ({ query: { code } }: GateReturn) => (code === undefined || code === '' ? null : { id: 'ann' })

test.each([
  [
    'leads to a page without encryption',
    { begin: async ({ state }: { state: string }) => ({ url: `http://id.example/?state=${state}` }) },
    ['leave', 'admit', 'refuse', 'border', 'life', 'secrets'],
  ],
  [
    'keeps too much',
    { begin: async ({ state }: { state: string }) => ({ url: `https://id.example/?state=${state}`, kept: 'x'.repeat(1001) }) },
    ['leave', 'admit', 'refuse', 'border', 'life', 'secrets'],
  ],
  ['forgets the state', { begin: async () => ({ url: `https://id.example/?code=a&n=${Math.random()}`, kept: { code: 'a' } }) }, ['leave']],
  ['takes any code', { finish }, ['refuse']],
  ['ends the login at a script', { end: async () => ({ url: 'javascript:alert(1)' }) }, ['end']],
])('a gate by a page that %s is found', async (_what, change, rules) => {
  expect(await findings('redirect', byPage(change))).toEqual(rules)
})

test('a world that proves nothing is told', async () => {
  const { right: _right, ...rest } = passwords
  expect(await findings('password', byPassword(), rest)).toEqual(['admit', 'refuse', 'abort', 'border', 'life', 'secrets'])
  const { decline: _decline, ...without } = pages
  expect(await findings('redirect', byPage(), without)).toEqual(['refuse'])
})
