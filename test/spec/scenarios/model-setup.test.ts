// @module-tag process
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { browse, startOidcServer } from '../../logins/oidc-server.ts'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import { needs } from '../../support/needs.ts'
import { runHere } from '../../support/test-cli.ts'
import { openTestHome } from '../../support/test-home.ts'
import { missingTmux, openTerminal } from '../../support/tmux.ts'
import { proves } from '../proves.ts'

const keep = /Keep fake-model\?[^>]*> *$/m
const providerAsked = /Which provider\?[^>]*> *$/m
const page = /http:\/\/127\.0\.0\.1:\d+\/auth\?\S+(?:\n\S+)*/
const program = fileURLToPath(new URL('../../../host/bin/agent.mjs', import.meta.url))

test('at a terminal the setup of a model goes on where the person left it, by a login and by a key, and shows no secret', {
  ...needs(missingTmux()),
  timeout: 60_000,
}, async () => {
  await using server = await startOidcServer({ interval: 0.05 })
  await using vendor = await startFakeOpenai({
    answers: ({ headers }) =>
      headers.authorization === 'Bearer sk-wrong' ? { refuse: { status: 401, message: 'wrong key' } } : { text: 'Yes.' },
  })
  using home = openTestHome()
  const { issuer, clientId } = server
  const provider = {
    ...{
      id: 'mine',
      label: 'Mine',
      protocol: 'openai-chat',
      auth: 'api-key',
      keyEnv: ['MINE_API_KEY'],
      baseUrl: vendor.url,
      defaultModel: 'fake-model',
    },
    login: { kind: 'device-code', issuer, clientId, scopes: ['openid', 'offline_access'] },
  }
  const manifest = {
    ...{ manifestVersion: 1, id: 'provider-mine', name: 'Mine', description: 'A server of my own.', version: '1.0.0', license: 'MIT' },
    ...{ api: { provider: 1 }, contributes: { providers: [provider] } },
    env: [{ name: 'MINE_API_KEY', secret: true, required: false, prompt: 'Key' }],
    permissions: { net: { value: 'any', reason: 'It asks the server.' } },
  }
  home.write('plugins/local/provider-mine/agent.plugin.json', JSON.stringify(manifest))
  home.write('config.yaml', 'plugins: { entries: { provider-mine: { enabled: true } } }\n')
  const open = () => openTerminal({ command: [process.execPath, program, 'setup', 'model'], environment: home.environment, cwd: home.work })

  for (const steps of [[], ['mine'], ['mine', '']] as const) {
    await using early = open()
    for (const [at, text] of steps.entries())
      await say(early, [/Which provider\?\s+> *$/m, /takes a login or a key[^>]*> *$/m][at] ?? /$/, text)
    await leave(early, [/Which provider\?\s+> *$/m, /takes a login or a key[^>]*> *$/m, /With the code in it: \S+/][steps.length] ?? /$/)
    expect(home.read('config.yaml')).not.toContain('provider: mine')
  }

  await using left = open()
  const answer = async (terminal: ReturnType<typeof open>, question: RegExp, text: string): Promise<void> => {
    await terminal.shows(question)
    terminal.type(text)
    terminal.press('Enter')
  }
  await answer(left, /Which provider\?\s+> *$/m, 'mine')
  await answer(left, /takes a login or a key[^>]*> *$/m, '')
  const shown = await left.shows(/With the code in it: \S+/)
  await browse(/With the code in it: (\S+)/.exec(shown)?.[1] ?? '')
  await left.shows(/mine answers from now on with fake-model\.[\s\S]*Keep fake-model\?[^>]*> *$/m)
  left.press('C-c')
  await left.ended()
  expect(home.read('config.yaml')).toContain('default: fake-model')

  await using again = open()
  await answer(again, /Which provider\? \(Enter: mine\)\s+> *$/m, '')
  await answer(again, keep, '')
  await again.ended()
  const { logins } = JSON.parse(home.read('auth.json'))
  expect(vendor.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill(`Bearer ${logins.mine.access}`))
  expect(home.read('config.yaml')).toContain('provider: mine')
  expect(left.everything() + again.everything()).not.toContain(logins.mine.access)

  home.write('auth.json', '{ "version": 1 }')
  await using unsure = open()
  await answer(unsure, /Which provider\?[^>]*> *$/m, 'mine')
  await answer(unsure, /takes a login or a key[^>]*> *$/m, 'k')
  await leave(unsure, /Key of mine[^>]*> *$/m)
  await using keyed = open()
  await answer(keyed, /Which provider\?[^>]*> *$/m, 'mine')
  await answer(keyed, /takes a login or a key[^>]*> *$/m, 'k')
  await answer(keyed, /Key of mine[^>]*> *$/m, 'sk-wrong')
  await answer(keyed, /did not answer[\s\S]*Try another[^>]*> *$/m, 'key')
  await answer(keyed, /Try another[\s\S]*Key of mine[^>]*> *$/m, 'sk-right')
  await answer(keyed, keep, '')
  await keyed.ended()
  expect(keyed.everything()).toMatch(/mine answers from now on/)
  expect(keyed.everything()).not.toMatch(/sk-(?:right|wrong)/)
  expect(home.read('.env')).toBe('MINE_API_KEY=sk-right\n')
})

describe('a guided set-up', needs(missingTmux()), () => {
  proves(
    ['state.onboarding.confirming', 'state.onboarding.change', 'state.onboarding.finished'],
    'agent setup at a terminal keeps the recommended model once it answers, lets it be changed, and takes back what does not answer',
    async () => {
      await using vendor = await startFakeOpenai({ key: 'sk-right', models: ['fake-model'], answers: () => ({ text: 'Yes.' }) })
      using world = homeWith({ id: 'keyed', auth: 'api-key', keyEnv: ['KEYED_API_KEY'], baseUrl: vendor.url })
      const { home } = world
      await using terminal = world.open('setup')
      await say(terminal, /No model is chosen yet\. Choose one now\? \[Y\/n\] *$/m)
      await say(terminal, /Which provider\?\s+> *$/m, 'keyed')
      await say(terminal, /Key of keyed[^>]*> *$/m, 'sk-right')
      await terminal.shows(/keyed answers from now on with fake-model\.[\s\S]*Keep fake-model\?[^>]*> *$/m)
      expect(home.read('config.yaml')).toContain('default: fake-model')
      await say(terminal, keep, 'gone')
      await terminal.shows(/keyed\/gone did not answer[\s\S]*keyed goes on answering with fake-model\.[\s\S]*Keep fake-model\?[^>]*> *$/m)
      expect(home.read('config.yaml')).toContain('default: fake-model')
      await say(terminal, keep)
      await terminal.shows(/Talk to it: agent chat/)
      await terminal.ended()
      expect(await runHere(home, ['chat', '-z', 'hello'])).toMatchObject({ code: 0, out: 'Yes.\n' })
      await using again = world.open('setup')
      await again.shows(/keyed answers with fake-model\./)
      await again.ended()
      expect(again.everything()).not.toContain('Choose one now')
    },
    90_000,
  )
})

/** A home in which one provider of others is switched on. */
function homeWith(provider: { readonly id: string } & Readonly<Record<string, unknown>>) {
  const home = openTestHome()
  const manifest = {
    ...{ manifestVersion: 1, id: `provider-${provider.id}`, name: provider.id, description: 'Made up.', version: '1.0.0', license: 'MIT' },
    ...{
      api: { provider: 1 },
      contributes: { providers: [{ label: provider.id, protocol: 'openai-chat', defaultModel: 'fake-model', ...provider }] },
    },
    permissions: { net: { value: 'any', reason: 'It asks the server.' } },
  }
  home.write(`plugins/local/provider-${provider.id}/agent.plugin.json`, JSON.stringify(manifest))
  home.write('config.yaml', `plugins: { entries: { provider-${provider.id}: { enabled: true } } }\n`)
  const open = (...words: readonly string[]) =>
    openTerminal({
      command: [process.execPath, program, ...(words.length > 0 ? words : ['setup', 'model'])],
      environment: home.environment,
      cwd: home.work,
    })
  return { home, open, [Symbol.dispose]: () => home[Symbol.dispose]() }
}

type Terminal = ReturnType<ReturnType<typeof homeWith>['open']>

async function say(terminal: Terminal, question: RegExp, text = ''): Promise<void> {
  await terminal.shows(question)
  terminal.type(text)
  terminal.press('Enter')
}

/** Somebody has enough, at this question. */
async function leave(terminal: Terminal, question: RegExp): Promise<string> {
  const shown = await terminal.shows(question)
  terminal.press('C-c')
  await terminal.ended()
  return shown
}

test('at a terminal the setup goes on after each step of a login whose code is pasted', {
  ...needs(missingTmux()),
  timeout: 90_000,
}, async () => {
  await using server = await startOidcServer()
  await using vendor = await startFakeOpenai({ answers: () => ({ text: 'Yes.' }) })
  const { issuer, clientId } = server
  const login = { kind: 'pkce', issuer, clientId, scopes: ['openid', 'offline_access'], redirectUrl: 'http://127.0.0.1:1/callback' }
  using world = homeWith({ id: 'pasted', auth: 'login', login, baseUrl: vendor.url })
  await using first = world.open()
  await leave(first, /Which provider\?\s+> *$/m)
  await using second = world.open()
  await say(second, /Which provider\?\s+> *$/m, 'pasted')
  await leave(second, page)
  expect(world.home.read('config.yaml')).not.toContain('provider: pasted')
  await using third = world.open()
  await say(third, /Which provider\?[^>]*> *$/m, 'pasted')
  await third.shows(/paste that address or code here/)
  const address = page.exec(third.everything().replaceAll(/\n(?=\S)/g, ''))?.[0] ?? ''
  const come = await browse(address)
  third.type(new URL(come.address).searchParams.get('code') ?? '')
  third.press('Enter')
  await leave(third, keep)
  await using fourth = world.open()
  await say(fourth, /Which provider\? \(Enter: pasted\)\s+> *$/m)
  await say(fourth, keep)
  await fourth.ended()
  expect(fourth.everything()).toContain('pasted answers from now on with fake-model.')
  const { logins } = JSON.parse(world.home.read('auth.json'))
  expect(server.grants).toEqual(['authorization_code'])
  expect(vendor.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill(`Bearer ${logins.pasted.access}`))
  const seen = [first, second, third, fourth].map((terminal) => terminal.everything()).join('')
  expect(seen).not.toContain(logins.pasted.access)
})

test('at a terminal the setup goes on after each step of a login that ends at a page of this machine', {
  ...needs(missingTmux()),
  timeout: 90_000,
}, async () => {
  await using server = await startOidcServer()
  await using vendor = await startFakeOpenai({ answers: () => ({ text: 'Yes.' }) })
  const { issuer, clientId } = server
  const login = { kind: 'pkce', issuer, clientId, scopes: ['openid', 'offline_access'], loopback: { path: '/callback' } }
  using world = homeWith({ id: 'looped', auth: 'login', login, baseUrl: vendor.url })
  await using first = world.open()
  await leave(first, providerAsked)
  await using second = world.open()
  await say(second, providerAsked, 'looped')
  const old = await leave(second, page)
  expect(world.home.read('config.yaml')).not.toContain('provider: looped')
  await using third = world.open()
  await say(third, providerAsked, 'looped')
  await third.shows(page)
  await third.shows(/paste that address or code here/)
  const address = page.exec(third.everything().replaceAll(/\n(?=\S)/g, ''))?.[0] ?? ''
  expect(old).not.toContain(new URL(address).searchParams.get('state'))
  const end = await browse(address)
  expect([new URL(end.address).pathname, end.text]).toEqual(['/callback', expect.stringMatching(/logged in|close/i)])
  await leave(third, keep)
  await using fourth = world.open()
  await say(fourth, /Which provider\? \(Enter: looped\)\s+> *$/m)
  await say(fourth, keep)
  await fourth.ended()
  expect(fourth.everything()).toContain('looped answers from now on with fake-model.')
  const { logins } = JSON.parse(world.home.read('auth.json'))
  expect(server.grants).toEqual(['authorization_code'])
  expect(vendor.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill(`Bearer ${logins.looped.access}`))
  const seen = [first, second, third, fourth].map((terminal) => terminal.everything()).join('')
  expect(seen).not.toContain(logins.looped.access)
})

test('at a terminal the setup goes on after each step of a key, also after one that was refused', {
  ...needs(missingTmux()),
  timeout: 90_000,
}, async () => {
  await using vendor = await startFakeOpenai({ key: 'sk-right', models: ['fake-model'], answers: () => ({ text: 'Yes.' }) })
  using world = homeWith({ id: 'keyed', auth: 'api-key', keyEnv: ['KEYED_API_KEY'], baseUrl: vendor.url })
  const { home } = world
  const again = /Which provider\? \(Enter: keyed\)\s+> *$/m
  const keyAsked = /Key of keyed[^>]*> *$/m
  const another = /did not answer[\s\S]*Try another[^>]*> *$/m
  const walks: readonly (readonly [steps: readonly (readonly [RegExp, string])[], left: RegExp])[] = [
    [[], /Which provider\?\s+> *$/m],
    [[[/Which provider\?\s+> *$/m, 'keyed']], keyAsked],
    // What was refused is kept, and told when the setup goes on.
    [
      [
        [/Which provider\?\s+> *$/m, 'keyed'],
        [keyAsked, 'sk-wrong'],
      ],
      another,
    ],
    [[[again, '']], another],
    [
      [
        [again, ''],
        [another, 'key'],
      ],
      /Try another[\s\S]*Key of keyed[^>]*> *$/m,
    ],
    [
      [
        [again, ''],
        [another, 'key'],
        [/Try another[\s\S]*Key of keyed[^>]*> *$/m, 'sk-right'],
      ],
      keep,
    ],
  ]
  let seen = ''
  for (const [at, [steps, left]] of walks.entries()) {
    await using terminal = world.open()
    for (const [question, text] of steps) await say(terminal, question, text)
    await leave(terminal, left)
    seen += terminal.everything()
    expect(home.read('config.yaml').includes('provider: keyed'), String(at)).toBe(left === keep)
  }
  await using last = world.open()
  await say(last, again)
  await say(last, keep)
  await last.ended()
  expect(seen + last.everything()).not.toMatch(/sk-(?:right|wrong)/)
  expect(home.read('.env')).toBe('KEYED_API_KEY=sk-right\n')
  expect(await runHere(home, ['chat', '-z', 'hello'])).toMatchObject({ code: 0, out: 'Yes.\n' })
})

test('at a terminal the setup reads the login of another program, and says where there is none', {
  ...needs(missingTmux()),
  timeout: 90_000,
}, async () => {
  await using vendor = await startFakeOpenai({ answers: () => ({ text: 'Yes.' }) })
  const login = { kind: 'cli', program: 'Other', file: '~/.other/login.json', tokenAt: '/token' }
  using world = homeWith({ id: 'theirs', auth: 'login', login, baseUrl: vendor.url })
  await using early = world.open()
  await leave(early, /Which provider\?\s+> *$/m)
  await using first = world.open()
  await say(first, /Which provider\?\s+> *$/m, 'theirs')
  await first.shows(/Other has no login at [\s\S]*log in\s+there\s+first/)
  await first.ended()
  mkdirSync(join(world.home.folder, '.other'))
  writeFileSync(join(world.home.folder, '.other/login.json'), '{"token":"tok-of-other"}')
  await using second = world.open()
  await say(second, /Which provider\?[^>]*> *$/m, 'theirs')
  await leave(second, keep)
  await using third = world.open()
  await say(third, /Which provider\? \(Enter: theirs\)\s+> *$/m)
  await say(third, keep)
  await third.ended()
  expect(third.everything()).toContain('theirs answers from now on with fake-model.')
  expect(vendor.requests.map(({ headers }) => headers.authorization)).toEqual(Array(2).fill('Bearer tok-of-other'))
  expect(first.everything() + second.everything() + third.everything()).not.toContain('tok-of-other')
})
