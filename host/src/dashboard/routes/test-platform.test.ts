// @module-tag process
import { expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { addPostOffice } from '../../../../test/support/gateways/post-office.ts'
import { openTestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'

proves('dashboard.platforms.test', 'a test connects the platform, and says as whom or what is wrong', async () => {
  await using dashboard = await openTestDashboard({ prepare: addPostOffice, environment: { AGENT_INFERENCE_PROVIDER: 'offline' } })
  const put = (body: object) => dashboard.ask('PUT', '/api/messaging/platforms/post', { body })
  await put({ env: { POST_TOKEN: 'right' } })
  const ask = async () => (await dashboard.ask('POST', '/api/messaging/platforms/post/test')).body
  const right = await ask()
  expect(right).toMatchObject({ ok: true, detail: expect.stringContaining('Connected as') })
  await put({ env: { POST_TOKEN: 'wrong' } })
  expect(await ask()).toMatchObject({ ok: false, detail: expect.stringContaining('Post') })
})

test('where nothing is configured the offline model answers a test of the model', async () => {
  await using dashboard = await openTestDashboard()
  expect((await dashboard.ask('POST', '/api/model/test')).body).toMatchObject({ ok: true })
})
