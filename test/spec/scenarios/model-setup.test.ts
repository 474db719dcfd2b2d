// @module-tag process
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { browse, startOidcServer } from '../../logins/oidc-server.ts'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import { needs } from '../../support/needs.ts'
import { openTestHome } from '../../support/test-home.ts'
import { missingTmux, openTerminal } from '../../support/tmux.ts'

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
  await left.shows(/Which model of mine\? \(Enter: fake-model\)\s+> *$/m)
  left.press('C-c')
  await left.ended()
  expect(vendor.requests).toHaveLength(0)

  await using again = open()
  await answer(again, /Which provider\? \(Enter: mine\)\s+> *$/m, '')
  await answer(again, /Which model of mine\?[^>]*> *$/m, '')
  await again.shows(/mine answers from now on with fake-model\./)
  await again.ended()
  const { logins } = JSON.parse(home.read('auth.json'))
  expect(vendor.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${logins.mine.access}`])
  expect(home.read('config.yaml')).toContain('provider: mine')
  expect(left.everything() + again.everything()).not.toContain(logins.mine.access)

  home.write('auth.json', '{ "version": 1 }')
  await using keyed = open()
  await answer(keyed, /Which provider\?[^>]*> *$/m, 'mine')
  await answer(keyed, /takes a login or a key[^>]*> *$/m, 'k')
  await answer(keyed, /Key of mine[^>]*> *$/m, 'sk-wrong')
  await answer(keyed, /Which model of mine\?[^>]*> *$/m, '')
  await answer(keyed, /did not answer[\s\S]*Try another[^>]*> *$/m, 'key')
  await answer(keyed, /Try another[\s\S]*Key of mine[^>]*> *$/m, 'sk-right')
  await answer(keyed, /Key of mine[\s\S]*Key of mine[\s\S]*Which model of mine\?[^>]*> *$/m, '')
  expect(await keyed.shows(/mine answers from now on/)).not.toMatch(/sk-(?:right|wrong)/)
  await keyed.ended()
  expect(home.read('.env')).toBe('MINE_API_KEY=sk-right\n')
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
  const open = () => openTerminal({ command: [process.execPath, program, 'setup', 'model'], environment: home.environment, cwd: home.work })
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

const whichModel = /Which model of \w+\?[^>]*> *$/m

test('at a terminal the setup goes on after each step of a login whose code is pasted', {
  ...needs(missingTmux()),
  timeout: 90_000,
}, async () => {
  await using server = await startOidcServer()
  await using vendor = await startFakeOpenai({ answers: () => ({ text: 'Yes.' }) })
  const { issuer, clientId } = server
  const login = { kind: 'pkce', issuer, clientId, scopes: ['openid', 'offline_access'], redirectUrl: 'http://127.0.0.1:1/callback' }
  using world = homeWith({ id: 'pasted', auth: 'login', login, baseUrl: vendor.url })
  const page = /http:\/\/127\.0\.0\.1:\d+\/auth\?\S+(?:\n\S+)*/
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
  await leave(third, whichModel)
  await using fourth = world.open()
  await say(fourth, /Which provider\? \(Enter: pasted\)\s+> *$/m)
  await say(fourth, whichModel)
  await fourth.shows(/pasted answers from now on with fake-model\./)
  await fourth.ended()
  const { logins } = JSON.parse(world.home.read('auth.json'))
  expect(server.grants).toEqual(['authorization_code'])
  expect(vendor.requests.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${logins.pasted.access}`])
  const seen = [first, second, third, fourth].map((terminal) => terminal.everything()).join('')
  expect(seen).not.toContain(logins.pasted.access)
})

test('at a terminal the setup reads the login of another program, and says where there is none', {
  ...needs(missingTmux()),
  timeout: 90_000,
}, async () => {
  await using vendor = await startFakeOpenai({ answers: () => ({ text: 'Yes.' }) })
  const login = { kind: 'cli', program: 'Other', file: '~/.other/login.json', tokenAt: '/token' }
  using world = homeWith({ id: 'theirs', auth: 'login', login, baseUrl: vendor.url })
  await using first = world.open()
  await say(first, /Which provider\?\s+> *$/m, 'theirs')
  await first.shows(/Other has no login at [\s\S]*log in\s+there\s+first/)
  await first.ended()
  mkdirSync(join(world.home.folder, '.other'))
  writeFileSync(join(world.home.folder, '.other/login.json'), '{"token":"tok-of-other"}')
  await using second = world.open()
  await say(second, /Which provider\?[^>]*> *$/m, 'theirs')
  await leave(second, whichModel)
  expect(vendor.requests).toEqual([])
  await using third = world.open()
  await say(third, /Which provider\?[^>]*> *$/m, 'theirs')
  await say(third, whichModel)
  await third.shows(/theirs answers from now on with fake-model\./)
  await third.ended()
  expect(vendor.requests.map(({ headers }) => headers.authorization)).toEqual(['Bearer tok-of-other'])
  expect(first.everything() + second.everything() + third.everything()).not.toContain('tok-of-other')
})
