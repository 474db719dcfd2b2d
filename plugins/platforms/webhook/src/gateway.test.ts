// @module-tag server
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { proves } from '../../../../test/spec/proves.ts'
import { openPlatformGateway, type PlatformGateway } from '../../../../test/support/gateways/platform-gateway.ts'
import { openTestHome, type TestHome } from '../../../../test/support/test-home.ts'

const bounded = { timeout: 25_000, interval: 20 }
const routes = {
  work: { prompt: 'stream {count} tokens' },
  open: { prompt: '{text}' },
  told: { prompt: 'The bell rang {count} times.', deliver: 'webhook:board', deliver_only: true },
}

let home: TestHome
let gateway: PlatformGateway
beforeAll(async () => {
  home = openTestHome()
  const platforms = { webhook: { enabled: true, extra: { routes } } }
  home.write('config.yaml', JSON.stringify({ platforms, gateway: { http: { port: 0 } } }))
  gateway = await openPlatformGateway(home, { WEBHOOK_SECRET: 'secret' })
})
afterAll(async () => {
  await gateway?.[Symbol.asyncDispose]()
  home?.[Symbol.dispose]()
})

interface Fields {
  readonly url?: string
  readonly delivery?: string
  readonly text?: string
}

const lines = (): readonly Fields[] =>
  home
    .read('logs/gateway.log')
    .split('\n')
    .flatMap((line) => (line === '' ? [] : ((JSON.parse(line) as { readonly fields?: Fields }).fields ?? [])))
const address = () => lines().find(({ url }) => url?.endsWith('/webhooks'))?.url
const answers = () => lines().flatMap(({ delivery, text }) => (text === undefined ? [] : [[delivery, text]]))

async function post(route: string, body: object, id: string, secret = 'secret'): Promise<readonly [status: number, word: unknown]> {
  const text = JSON.stringify(body)
  const headers = {
    'Content-Type': 'application/json',
    'X-GitHub-Delivery': id,
    'X-Hub-Signature-256': `sha256=${createHmac('sha256', secret).update(text).digest('hex')}`,
  }
  const response = await fetch(`${address()}/${route}`, { method: 'POST', body: text, headers })
  return [response.status, ((await response.json()) as { status?: unknown }).status]
}

proves('event.inbound.webhook', 'an event is answered once, and its answer stands in the log', async () => {
  await expect.poll(() => gateway.state('webhook'), bounded).toBe('connected')
  await expect.poll(address, bounded).toBeDefined()
  expect(await post('work', { count: 3 }, 'one')).toEqual([202, 'accepted'])
  await expect.poll(answers, bounded).toEqual([['work/one', 'offline-1 offline-2 offline-3']])
  expect(await post('work', { count: 3, again: true }, 'one')).toEqual([200, 'duplicate'])
  expect(await post('work', { count: 2 }, 'two', 'wrong')).toEqual([401, 'unauthorized'])
  expect(await post('work', { count: 4 }, 'three')).toEqual([202, 'accepted'])
  await expect.poll(answers, bounded).toEqual([
    ['work/one', 'offline-1 offline-2 offline-3'],
    ['work/three', 'offline-1 offline-2 offline-3 offline-4'],
  ])
})

test('what is only delivered goes where the route says, and no model is asked', async () => {
  expect(await post('told', { count: 2 }, 'bell')).toEqual([200, 'delivered'])
  await expect.poll(() => answers().at(-1), bounded).toEqual(['board', 'The bell rang 2 times.'])
})

proves('purpose.toolsets', 'what came in by a webhook has neither programs nor files', async () => {
  await expect.poll(address, bounded).toBeDefined()
  expect(await post('open', { text: 'run echo made' }, 'program')).toEqual([202, 'accepted'])
  await expect.poll(() => answers().at(-1)?.[1], bounded).toMatch(/would use .*terminal/)
  expect(await post('open', { text: 'write plants.txt: water them' }, 'file')).toEqual([202, 'accepted'])
  await expect.poll(() => answers().at(-1)?.[1], bounded).toMatch(/would use .*write_file/)
})
