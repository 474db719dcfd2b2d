import { expect, test } from 'vitest'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { addServer, listServers } from './servers.ts'

test('a secret among the words of a server is not shown', async () => {
  using home = openTestHome()
  const args = ['-y', 'x@1', '--api-key', 'sk-one', '--token=sk-two', '--key', '--verbose', '--keyboard=us', '/srv/notes']
  home.write('config.yaml', JSON.stringify({ mcp_servers: { near: { command: 'npx', args } } }))
  const [server] = await listServers({ environment: home.environment, profile: undefined })
  const shown = ['-y', 'x@1', '--api-key', '[secret]', '--token=[secret]', '--key', '--verbose', '--keyboard=us', '/srv/notes']
  expect(server?.args).toEqual(shown)
})

test('of two servers that are added by one name at once, one is there and the other is refused', async () => {
  using home = openTestHome()
  const context = {
    ...{ installRoot: home.folder, environment: home.environment, profile: undefined },
    ...{ signal: new AbortController().signal, note: () => undefined },
  }
  const added = await Promise.allSettled(['one', 'two'].map((command) => addServer(context, 'near', { command })))
  expect(added).toMatchObject([{ status: 'fulfilled' }, { status: 'rejected', reason: { code: 'MCP_SERVER_EXISTS' } }])
  expect(await listServers(context)).toMatchObject([{ name: 'near', command: 'one' }])
})
