import { openFakeServer } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { call, openRig } from '../test/slack-rig.ts'
import { openSlackServer } from '../test/slack-server.ts'

test('a file that lies outside of Slack is not read: the token goes nowhere else', async () => {
  await using elsewhere = await openFakeServer(() => ({ status: 200, body: 'secret' }))
  await using server = await openSlackServer()
  await using rig = openRig(server)
  const connection = await rig.connect()
  const read = async (url: string): Promise<unknown> => {
    const id = server.store.keepFile({ name: 'a', mime: 'text/plain', bytes: new Uint8Array(), state: 'shared', elsewhere: url })
    for await (const piece of connection.fetchMedia?.({ id: `T0ONE/${id}`, kind: 'document', mime: 'text/plain' }, call) ?? []) return piece
    return undefined
  }
  for (const url of [elsewhere.url, 'http://files.slack.com/a', 'https://files.slack.com.example.org/a']) {
    await expect(read(url)).rejects.toMatchObject({ code: 'SEND_REFUSED' })
  }
  expect(elsewhere.journal).toEqual([])
})
