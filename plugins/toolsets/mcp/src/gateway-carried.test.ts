// @module-tag process
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { runWords } from '../../../../host/src/cli/run-words.ts'
import { startGuardedServer } from '../../../../test/logins/guarded-server.ts'
import { browse, startOidcServer } from '../../../../test/logins/oidc-server.ts'
import { runAgent } from '../../../../test/support/run-agent.ts'
import { openTestCli } from '../../../../test/support/test-cli.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

const installRoot = fileURLToPath(new URL('../../../..', import.meta.url))

test('a login with a server is renewed by the host and carried to it; the plugin never sees what renews it', async () => {
  using home = openTestHome()
  await using accounts = await startOidcServer({ scopesOfResources: 'tools', registration: true })
  await using server = await startGuardedServer({ accounts })
  home.write('config.yaml', JSON.stringify({ mcp_servers: { desk: { url: server.url } } }))
  const wanted = await runAgent(home, ['mcp', 'test', 'desk'])
  expect([wanted.code, wanted.out]).toEqual([1, 'The MCP server desk cannot be used: it wants a login; agent mcp login desk begins one.\n'])
  const onNote = (line: string): void => void (line.startsWith('Open this address') && browse(line.split('\n')[1] ?? ''))
  const { cli } = openTestCli({ installRoot, environment: home.environment, onNote })
  await runWords(cli, ['mcp', 'login', 'desk'])
  const file = join(home.home, 'auth.json')
  const kept = JSON.parse(readFileSync(file, 'utf8'))
  const { access } = kept.logins['mcp:desk']
  kept.logins['mcp:desk'].access = 'gone-by-now'
  writeFileSync(file, JSON.stringify(kept))
  expect(await runAgent(home, ['mcp', 'test', 'desk'])).toMatchObject({ code: 0, out: 'The MCP server desk has 1 tools.\n' })
  expect(server.shown.indexOf(access)).toBe(-1)
  expect([server.shown.includes('gone-by-now'), accounts.grants]).toEqual([true, ['authorization_code', 'refresh_token']])
})
