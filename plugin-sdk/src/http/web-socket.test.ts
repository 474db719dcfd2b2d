import { expect, test } from 'vitest'
import { createFakeClock } from '../testing/fake-clock.ts'
import { openFakeServer } from '../testing/fake-server.ts'
import { openWebSocket } from './web-socket.ts'

test('what the other side says with its first packet is heard', async () => {
  await using server = await openFakeServer(() => ({ status: 404 }), { socket: (socket) => socket.send('hello') })
  const heard: string[] = []
  const socket = await openWebSocket({
    url: server.url.replace('http', 'ws'),
    platform: 'Test',
    clock: createFakeClock(),
    signal: new AbortController().signal,
    onHear: () => undefined,
    onText: (text) => void heard.push(text),
    onEnd: () => undefined,
  })
  await expect.poll(() => heard).toEqual(['hello'])
  await socket.close()
})
