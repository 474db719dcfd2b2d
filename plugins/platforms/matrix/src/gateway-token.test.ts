// @module-tag process
import { expect, test } from 'vitest'
import { openPlatformGateway } from '../../../../test/support/gateways/platform-gateway.ts'
import { runHere } from '../../../../test/support/test-cli.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { ann } from '../test/matrix-store.ts'
import { directRoom, openPeopledServer, say, shown } from '../test/matrix-world.ts'

const environment = { AGENT_INFERENCE_PROVIDER: 'offline', AGENT_OFFLINE_OPEN: 'true' }
const bounded = { timeout: 20_000, interval: 20 }

test('a token that ends while it is used: the platform waits and says what mends it, and that one command connects it', async () => {
  await using server = await openPeopledServer()
  using home = openTestHome()
  home.write('config.yaml', JSON.stringify({ platforms: { matrix: { enabled: true, batch_ms: 0, busy_input_mode: 'queue' } } }))
  home.write('.env', `MATRIX_HOMESERVER=${server.url}\nMATRIX_ACCESS_TOKEN=${server.token()}\nMATRIX_ALLOWED_USERS=${ann}\n`)
  await using gateway = await openPlatformGateway(home, {})
  const run = (...words: string[]) => runHere(home, words, { environment })
  const answers = () => shown(server).map(({ content }) => content.body)
  await expect.poll(() => gateway.state('matrix'), bounded).toBe('connected')
  say(server, directRoom, 'stream 400 tokens every 5 ms')
  await expect.poll(() => answers().length, bounded).toBeGreaterThan(0)

  server.expire(true)
  await expect.poll(() => gateway.state('matrix'), bounded).toBe('fatal PLATFORM_AUTH')
  say(server, directRoom, 'stream 3 tokens')
  const asked = server.called.length
  const status = JSON.parse((await run('gateway', 'status', '--json')).out)
  const mend = { command: 'agent gateway setup matrix', variables: ['MATRIX_ACCESS_TOKEN'] }
  expect(status.attention).toEqual(['matrix'])
  expect(status.platforms).toContainEqual(expect.objectContaining({ platform: 'matrix', state: 'fatal', mend }))
  expect((await run('gateway', 'status')).out).toMatch(/agent gateway setup matrix asks for another MATRIX_ACCESS_TOKEN and connects it/)
  expect((await run('doctor', '--json')).out).toMatch(/"agent gateway setup matrix"/)
  // A service that has refused is not asked again and again.
  expect(server.called.slice(asked)).toEqual([])

  const words = ['gateway', 'setup', 'matrix', '--set', 'MATRIX_ACCESS_TOKEN=-']
  expect(await runHere(home, words, { environment, input: server.token() })).toMatchObject({
    code: 0,
    out: expect.stringContaining('The running gateway has connected matrix again.'),
  })
  expect(gateway.state('matrix')).toBe('connected')
  await expect.poll(gateway.isIdle, bounded).toBe(true)
  expect(answers().join()).toContain('offline-400')
  expect(answers()).toContain('offline-1 offline-2 offline-3')
})

test('a service that has changed its mind: the same token given again connects it', async () => {
  await using server = await openPeopledServer()
  using home = openTestHome()
  home.write('config.yaml', JSON.stringify({ platforms: { matrix: { enabled: true } } }))
  home.write('.env', `MATRIX_HOMESERVER=${server.url}\nMATRIX_ACCESS_TOKEN=${server.token()}\nMATRIX_ALLOWED_USERS=${ann}\n`)
  server.refuseNext('/whoami', 401, { errcode: 'M_UNKNOWN_TOKEN', error: 'not yet' })
  await using gateway = await openPlatformGateway(home, {})
  await expect.poll(() => gateway.state('matrix'), bounded).toBe('fatal PLATFORM_AUTH')
  const words = ['gateway', 'setup', 'matrix', '--set', 'MATRIX_ACCESS_TOKEN=-', '--json']
  const { code, out } = await runHere(home, words, { environment, input: server.token() })
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    { written: [], gateway: expect.arrayContaining([expect.stringContaining('tries Matrix again')]) },
  ])
  await expect.poll(() => gateway.state('matrix'), bounded).toBe('connected')
})

test('an answer that meets the end of a token is sent by the next connection', async () => {
  await using server = await openPeopledServer()
  using home = openTestHome()
  home.write('config.yaml', JSON.stringify({ platforms: { matrix: { enabled: true, batch_ms: 0, streaming: false } } }))
  const variables = { MATRIX_HOMESERVER: server.url, MATRIX_ACCESS_TOKEN: server.token(), MATRIX_ALLOWED_USERS: ann }
  await using gateway = await openPlatformGateway(home, variables)
  await expect.poll(() => gateway.state('matrix'), bounded).toBe('connected')
  server.refuseNext('/send/m.room.message/', 401, { errcode: 'M_UNKNOWN_TOKEN', error: 'ended' })
  say(server, directRoom, 'stream 3 tokens')
  await expect.poll(() => gateway.state('matrix'), bounded).toBe('retrying PLATFORM_AUTH')
  await expect.poll(() => shown(server).map(({ content }) => content.body), bounded).toEqual(['offline-1 offline-2 offline-3'])
})
