// @module-tag process
import { createSystemClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { addTalk, openTalkGateway } from '../../../../test/support/gateways/talk-gateway.ts'
import { openTestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'

test('a platform of the running gateway is paused and connected again, and the answer comes when it is', async () => {
  await using dashboard = await openTestDashboard({ prepare: addTalk })
  await using gateway = await openTalkGateway(dashboard.home, createSystemClock())
  const ask = (verb: string) => dashboard.ask('POST', `/api/messaging/platforms/talk/${verb}`, { body: {} })
  const shown = async () => (await dashboard.askBare('GET', '/api/status')).body.platforms
  const said = (sentence: RegExp) => ({ status: 200, body: { said: [expect.stringMatching(sentence)], live: true } })
  expect(await ask('pause')).toMatchObject(said(/^talk is paused\./))
  expect(gateway.state()).toBe('paused')
  expect(await shown()).toContainEqual(expect.objectContaining({ platform: 'talk', state: 'paused' }))
  expect(await ask('resume')).toMatchObject(said(/^talk connects now\./))
  await expect.poll(gateway.state).toBe('connected')
  expect(gateway.connected()).toBe(2)
})

test('without a gateway the wish waits for its start; what is no platform is refused, and who brings no token asks in vain', async () => {
  await using dashboard = await openTestDashboard({ prepare: addTalk })
  const path = '/api/messaging/platforms/talk/pause'
  const shown = async () => (await dashboard.askBare('GET', '/api/status')).body.platforms
  expect((await dashboard.askBare('POST', path, { body: {} })).status).toBe(401)
  expect((await dashboard.ask('POST', path, { headers: { origin: 'https://evil.example' }, body: {} })).status).toBe(403)
  expect(await shown()).toContainEqual({ platform: 'talk', state: 'stopped', needsAttention: false })
  expect(await dashboard.ask('POST', path, { body: {} })).toMatchObject({ status: 200, body: { live: false } })
  expect(await shown()).toContainEqual({ platform: 'talk', state: 'paused', needsAttention: false })
  const { status, body } = await dashboard.ask('POST', '/api/messaging/platforms/tolk/pause', { body: {} })
  expect([status, body.error]).toMatchObject([400, { message: expect.stringContaining('Did you mean "talk"?') }])
})
