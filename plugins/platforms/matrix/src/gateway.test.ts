// @module-tag server
import { expect, test } from 'vitest'
import { openPlatformGateway } from '../../../../test/support/gateways/platform-gateway.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { ann, bob } from '../test/matrix-store.ts'
import { invite, openPeopledServer, say, shown } from '../test/matrix-world.ts'

const bounded = { timeout: 20_000, interval: 20 }

test('who may talk to the agent may invite it and is answered there; a stranger is left alone', async () => {
  await using server = await openPeopledServer()
  using home = openTestHome()
  home.write('config.yaml', JSON.stringify({ platforms: { matrix: { enabled: true, batch_ms: 0 } } }))
  const variables = { MATRIX_HOMESERVER: server.url, MATRIX_ACCESS_TOKEN: server.token(), MATRIX_ALLOWED_USERS: ann }
  await using gateway = await openPlatformGateway(home, variables)
  await expect.poll(() => gateway.state('matrix'), bounded).toBe('connected')
  invite(server, '!bobs:test', bob)
  invite(server, '!anns:test', ann)
  await expect.poll(() => server.store.rooms.has('!anns:test'), bounded).toBe(true)
  expect(server.store.rooms.has('!bobs:test')).toBe(false)
  say(server, '!anns:test', 'stream 3 tokens')
  const answers = () => shown(server).map(({ content }) => content.body)
  await expect.poll(answers, bounded).toContain('offline-1 offline-2 offline-3')
  await expect.poll(() => server.store.typings.at(-1), bounded).toBe(false)
})
