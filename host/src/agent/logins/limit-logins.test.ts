import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { createLogins } from './limit-logins.ts'

type Parts = Parameters<typeof createLogins>[0]
type Plugin = Parameters<ReturnType<typeof createLogins>>[0]

test('a plugin asks for logins where its manifest says so, and nowhere else', async () => {
  using home = openTestHome()
  const kept: string[] = []
  const tokens = { kind: 'pkce', at: 1, generation: 1, clientId: 'x', access: 'token-of-desk' }
  const service = { url: 'https://desk.example/mcp', issuer: 'https://i.example', tokenUrl: 'https://i.example/t', resource: 'r' }
  home.write('auth.json', JSON.stringify({ version: 1, logins: { 'mcp:desk': { ...tokens, service } } }))
  const login = createLogins({
    home: { path: home.home, root: home.home, files: { auth: join(home.home, 'auth.json') } },
    loaded: { environment: { keepSecret: (secret: string) => kept.push(secret) } },
    ...{ clock: { now: () => 1 }, ledger: { signal: new AbortController().signal } },
  } as unknown as Parts)
  const pluginWith = (value: readonly string[]) =>
    ({ plugin: { manifest: { id: 'toolset-x', permissions: { host: { value } } } } }) as unknown as Plugin
  const wish = { server: 'desk', url: service.url }
  await expect(login(pluginWith(['skills']))(wish)).rejects.toMatchObject({ code: 'PLUGIN_UNDECLARED', params: { access: 'logins' } })
  expect(await login(pluginWith(['logins']))(wish)).toEqual({ token: 'token-of-desk' })
  expect(await login(pluginWith(['logins']))({ ...wish, url: 'https://other.example/' })).toHaveProperty('ended')
  expect(kept).toContain('token-of-desk')
})
