// @module-tag server
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import { openPlatformGateway } from '../../../../test/support/gateways/platform-gateway.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

// The first fetch of a process hangs in Node 20 and 22 where the parser is not ready; nothing before it may fetch.
test('a server that closes every connection at once is heard at the first attempt', async () => {
  const closing = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end().resume()
  })
  await using server = closing.listen(0, '127.0.0.1')
  await once(server, 'listening')
  using home = openTestHome()
  home.write('config.yaml', 'platforms: { ntfy: { enabled: true } }')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await using gateway = await openPlatformGateway(home, { NTFY_TOPIC: 'agent', NTFY_SERVER_URL: url, NTFY_ALLOWED_USERS: 'ann' })
  await expect.poll(() => gateway.state('ntfy'), { timeout: 20_000 }).toBe('retrying PLATFORM_UNREACHABLE')
})
