// @module-tag process
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { browse, startOidcServer } from '../../logins/oidc-server.ts'
import { startFakeOpenai } from '../../support/fakes/fake-openai.ts'
import { runAgent, startAgent } from '../../support/run-agent.ts'
import { openTestHome } from '../../support/test-home.ts'
import { proves } from '../proves.ts'

proves(
  'purpose.providers.kinds',
  'a provider answers by a key, by an OAuth login and by the login of another program, each with what proves that',
  async () => {
    await using server = await startOidcServer({ interval: 0.05 })
    await using vendor = await startFakeOpenai({ answers: () => ({ text: 'Yes.' }) })
    using home = openTestHome()
    const usual = { protocol: 'openai-chat', baseUrl: vendor.url, defaultModel: 'fake-model' }
    const { issuer, clientId } = server
    const providers = [
      { id: 'keyed', label: 'Keyed', ...usual, auth: 'api-key', keyEnv: ['KEYED_API_KEY'] },
      {
        ...{ id: 'granted', label: 'Granted', ...usual, auth: 'login' },
        login: { kind: 'device-code', issuer, clientId, scopes: ['openid', 'offline_access'] },
      },
      {
        ...{ id: 'theirs', label: 'Theirs', ...usual, auth: 'login' },
        login: { kind: 'cli', program: 'Other', file: '~/.other/login.json', tokenAt: '/token' },
      },
    ]
    const manifest = {
      ...{ manifestVersion: 1, id: 'provider-mine', name: 'Mine', description: 'Of my own.', version: '1.0.0', license: 'MIT' },
      ...{ api: { provider: 1 }, contributes: { providers } },
      env: [{ name: 'KEYED_API_KEY', secret: true, required: false, prompt: 'Key' }],
      permissions: { net: { value: 'any', reason: 'It asks the server.' } },
    }
    home.write('plugins/local/provider-mine/agent.plugin.json', JSON.stringify(manifest))
    home.write('config.yaml', 'plugins: { entries: { provider-mine: { enabled: true } } }\n')
    home.write('.env', 'KEYED_API_KEY=sk-keyed-1\n')
    mkdirSync(join(home.folder, '.other'))
    writeFileSync(join(home.folder, '.other', 'login.json'), '{"token":"tok-of-other"}')
    const granting = startAgent(home, ['login', 'granted'])
    await browse(/With the code in it: (\S+)/.exec(await granting.heard(/With the code in it: \S+\n/))?.[1] ?? '')
    expect(await granting.ended).toMatchObject({ code: 0 })
    expect(await runAgent(home, ['login', 'theirs'])).toMatchObject({ code: 0 })
    const proofs: Record<string, unknown> = {}
    for (const { id } of providers) {
      expect(await runAgent(home, ['chat', '--provider', id, '-m', 'fake-model', '-z', 'hello'])).toMatchObject({ code: 0, out: 'Yes.\n' })
      proofs[id] = vendor.requests.at(-1)?.headers.authorization
    }
    const { access } = JSON.parse(home.read('auth.json')).logins.granted
    expect(proofs).toEqual({ keyed: 'Bearer sk-keyed-1', granted: `Bearer ${access}`, theirs: 'Bearer tok-of-other' })
  },
  60_000,
)
