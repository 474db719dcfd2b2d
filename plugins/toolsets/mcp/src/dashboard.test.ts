// @module-tag process
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { openTestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'
import { fixtureServer } from '../test/contract.ts'

const words = [fixtureServer, 'good']

proves('dashboard.mcp.servers', 'servers are added, listed, tested, switched and removed, and no value of a secret is told', async () => {
  await using dashboard = await openTestDashboard()
  const { home, ask } = dashboard
  const env = { API_TOKEN: 'hush-hush-hush' }
  const added = await ask('POST', '/api/mcp/servers', { body: { name: 'fix', command: process.execPath, args: words, env } })
  expect(added.body).toMatchObject({
    live: false,
    said: ['fix is an MCP server now (mcp_servers.fix).', expect.stringContaining('A secret is kept as')],
  })
  const listed = await ask('GET', '/api/mcp/servers')
  expect(listed.body).toEqual({
    servers: [
      {
        ...{ name: 'fix', transport: 'stdio', command: process.execPath, args: words, env: ['API_TOKEN'], headers: [] },
        ...{ enabled: true, trust: 'untrusted' },
      },
    ],
  })
  expect(listed.text + home.read('config.yaml')).not.toContain('hush')
  expect((await ask('POST', '/api/mcp/servers/fix/test')).body).toEqual({ ok: true, said: ['The MCP server fix has 11 tools.'] })
  expect((await ask('PUT', '/api/mcp/servers/fix/enabled', { body: { enabled: false } })).body).toMatchObject({ said: ['fix is off.'] })
  expect((await ask('GET', '/api/mcp/servers')).body).toMatchObject({ servers: [{ enabled: false }] })
  expect((await ask('DELETE', '/api/mcp/servers/fix')).status).toBe(200)
  expect((await ask('GET', '/api/mcp/servers')).body).toEqual({ servers: [] })
})

proves('dashboard.mcp.probe', 'a test fills in the variables of the profile that is meant, and of no other', async () => {
  await using dashboard = await openTestDashboard()
  const { home, ask } = dashboard
  await ask('POST', '/api/profiles', { body: { name: 'work' } })
  const add = (profile: string, word: string) => {
    home.write(profile === 'default' ? '.env' : `profiles/${profile}/.env`, `MODE=${word}\n`)
    const args = [fixtureServer, '${' + 'MODE}']
    return ask('POST', '/api/mcp/servers', { body: { profile, name: 'fix', command: process.execPath, args } })
  }
  expect((await add('default', 'good')).status).toBe(200)
  expect((await add('work', 'changed')).status).toBe(200)
  const tested = async (profile: string) => (await ask('POST', '/api/mcp/servers/fix/test', { body: { profile } })).body
  expect(await tested('default')).toEqual({ ok: true, said: ['The MCP server fix has 11 tools.'] })
  expect(await tested('work')).toEqual({ ok: true, said: ['The MCP server fix has 12 tools.'] })
})

proves('dashboard.mcp.catalog', 'the catalog says what can be installed, and installs it for the profile', async () => {
  await using dashboard = await openTestDashboard()
  const { home, ask } = dashboard
  const { body } = await ask('GET', '/api/mcp/catalog')
  expect(body.servers).toEqual(expect.arrayContaining([expect.objectContaining({ name: 'memory', installed: false, env: [], words: '' })]))
  await ask('POST', '/api/profiles', { body: { name: 'work' } })
  const install = (given: object) => ask('POST', '/api/mcp/catalog/install', { body: { profile: 'work', ...given } })
  expect((await install({ name: 'memory' })).status).toBe(200)
  expect((await install({ name: 'memory' })).body).toMatchObject({ error: { code: 'MCP_SERVER_EXISTS' } })
  expect((await install({ name: 'github' })).body).toMatchObject({
    error: { message: expect.stringContaining('github needs GITHUB_TOKEN') },
  })
  expect((await install({ name: 'github', env: { GITHUB_TOKEN: 'hush-hush' } })).status).toBe(200)
  expect((await install({ name: 'filesystem' })).body).toMatchObject({ error: { message: expect.stringContaining('FOLDER') } })
  expect((await install({ name: 'filesystem', words: ['/srv/texts'] })).status).toBe(200)
  const catalog = await ask('GET', '/api/mcp/catalog?profile=work')
  const there = (catalog.body.servers as readonly { name: string; installed: boolean }[]).filter(({ installed }) => installed)
  expect(there.map(({ name }) => name)).toEqual(['filesystem', 'memory', 'github'])
  expect((await ask('GET', '/api/mcp/servers')).body).toEqual({ servers: [] })
  expect(home.read('profiles/work/config.yaml')).not.toContain('hush')
})

test('what does not fit is refused with its reason, and one broken server leaves the others alone', async () => {
  await using dashboard = await openTestDashboard()
  const { home, ask } = dashboard
  const add = async (body: object) => (await ask('POST', '/api/mcp/servers', { body })).body
  expect(await add({ name: 'a b', command: 'x' })).toMatchObject({ error: { code: 'CONFIG_VALUE_INVALID' } })
  expect(await add({ name: 'none' })).toMatchObject({ error: { message: expect.stringContaining('a command or a url, and not both') } })
  expect(await add({ name: 'far', url: 'ftp://x.example' })).toMatchObject({
    error: { message: expect.stringContaining('begins with http://') },
  })
  for (const [method, path] of [
    ['DELETE', ''],
    ['POST', '/test'],
  ] as const)
    expect(await ask(method, `/api/mcp/servers/nobody${path}`)).toMatchObject({
      status: 404,
      body: { error: { code: 'MCP_SERVER_UNKNOWN' } },
    })
  writeFileSync(
    join(home.home, 'config.yaml'),
    `mcp_servers: {odd: {command: x, trust: often}, lost: {command: x, args: ['$${'{'}NOT_SET}']}, good: {command: ${process.execPath}, args: [${words.join(', ')}]}}\n`.replace(
      '$$',
      '$',
    ),
  )
  const { body } = await ask('GET', '/api/mcp/servers')
  expect(body.servers).toMatchObject([
    { name: 'odd', enabled: false, problem: 'mcp_servers.odd.trust must be one of full, hints, untrusted, ask, not the text "often".' },
    { name: 'lost', enabled: false, problem: 'mcp_servers.lost.args.0 refers to NOT_SET, which is not set.' },
    { name: 'good', enabled: true },
  ])
  expect((await ask('POST', '/api/mcp/servers/good/test')).body).toMatchObject({ ok: true })
  expect((await ask('DELETE', '/api/mcp/servers/odd')).status).toBe(200)
})
