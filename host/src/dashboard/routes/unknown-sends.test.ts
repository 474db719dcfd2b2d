// @module-tag process
import { expect, test } from 'vitest'
import { openChannelDirectory } from '#gateway/directory/channel-directory.ts'
import { silentLog } from '#observe/silent-log.ts'
import { withStore } from '#rpc/home/open-home-store.ts'
import { openTestDashboard } from '../../../../test/support/servers/open-test-dashboard.ts'
import type { Status } from '../api.ts'
import type { UnknownAnswer, UnknownAnswers } from '../api-gateway.ts'

type Dashboard = Awaited<ReturnType<typeof openTestDashboard>>

const error = { code: 'SEND_UNKNOWN', params: { platform: 'Post', detail: 'cut' } }

/** Texts whose sending ended so that nobody knows whether they arrived. */
function lose({ home }: Dashboard, texts: readonly string[]): Promise<void> {
  const context = { environment: home.environment, profile: undefined, note: () => undefined }
  return withStore(context, async ({ journal, kv }) => {
    const channels = openChannelDirectory({ kv, now: Date.now, log: silentLog })
    await channels.note('post', 'bot', { id: 'ann', kind: 'dm', name: 'Ann of the garden' })
    const parts = texts.map((text) => ({ text }))
    await journal.post({ platform: 'post', account: 'bot', conversation: 'ann' }, parts, 'msg_1')
    for (const _ of texts) {
      const send = await journal.claimSend('boot_a')
      if (send) await journal.settleSend(send, { status: 'unknown', error })
    }
  })
}

const list = async (dashboard: Dashboard): Promise<readonly UnknownAnswer[]> =>
  (JSON.parse((await dashboard.ask('GET', '/api/gateway/unknown')).text) as UnknownAnswers).sends
const queues = async (dashboard: Dashboard): Promise<Status['queues']> =>
  (JSON.parse((await dashboard.askBare('GET', '/api/status')).text) as Status).queues

test('what may not have arrived is listed for those who may see texts, and a person says of each what holds, once', async () => {
  await using dashboard = await openTestDashboard()
  expect(await list(dashboard)).toEqual([])
  await lose(dashboard, ['one', 'two', 'x'.repeat(400)])
  expect((await dashboard.askBare('GET', '/api/gateway/unknown')).status).toBe(401)
  const sends = await list(dashboard)
  expect(sends).toMatchObject([
    {
      platform: 'post',
      conversation: 'ann',
      name: 'Ann of the garden',
      text: 'one',
      problem: expect.stringContaining('Post'),
      at: expect.any(Number),
    },
    { text: 'two' },
    { text: expect.stringMatching(/^x{300}$/) },
  ])
  expect(await queues(dashboard)).toMatchObject({ sending: 0, unknown: 3 })
  const [one, two, three] = sends.map(({ seq }) => `/api/gateway/unknown/${seq}`)
  const settle = (path: string | undefined, fate: string) => dashboard.ask('POST', `${path}/settle`, { body: { fate } })
  expect(await settle(one, 'arrived')).toMatchObject({ status: 200, body: { said: ['It counts as sent.'], live: true } })
  expect((await settle(one, 'lost')).body.error).toMatchObject({ message: expect.stringContaining('any more') })
  expect((await settle(two, 'maybe')).body.error).toMatchObject({ fields: { fate: 'does not fit' } })
  expect(await settle(two, 'lost')).toMatchObject({ status: 200, body: { said: [expect.stringContaining('given up')] } })
  expect(await dashboard.ask('POST', `${three}/resend`, { body: {} })).toMatchObject({ status: 200, body: { live: true } })
  expect([await list(dashboard), await queues(dashboard)]).toMatchObject([[], { sending: 1, unknown: 0 }])
  for (const number of ['0', '-1', 'x', '1e3'])
    expect((await dashboard.ask('POST', `/api/gateway/unknown/${number}/resend`, { body: {} })).status, number).toBe(400)
})
