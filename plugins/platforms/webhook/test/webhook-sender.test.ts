import { openFakeServer } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { createWebhookSender } from './webhook-sender.ts'

test('it comes again as it was when it is asked to, and takes every other answer', async () => {
  await using server = await openFakeServer(() => ({ status: 500 }))
  const sender = createWebhookSender({ secret: 's', now: () => 1_700_000_000_000 })
  server.breakNext({ type: 'status', status: 503, headers: { 'Retry-After': '1' } })
  expect((await sender.deliver(server.url, { a: 1 })).status).toBe(500)
  await sender.redeliver()
  const [first, ...others] = server.journal.map(({ headers, body }) => [
    headers['x-request-id'],
    headers['x-webhook-signature-v2'],
    String(Buffer.from(body)),
  ])
  expect(first?.[2]).toBe('{"a":1}')
  expect(others).toEqual([first, first])
})

test('nothing can be repeated before something was sent', async () => {
  await expect(createWebhookSender({ secret: 's' }).redeliver()).rejects.toThrow('nothing was delivered')
})
