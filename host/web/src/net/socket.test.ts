import { expect, test } from 'vitest'
import { openSocket, untilConnected, type Wire } from './socket.ts'

function createRig() {
  const wires: Wire[] = []
  const waits: (() => void)[] = []
  const socket = openSocket({
    address: async () => `ws://here/${wires.length}`,
    connect: () => {
      const wire: Wire = { onopen: null, onmessage: null, onclose: null, send: () => {}, close: () => {} }
      wires.push(wire)
      return wire
    },
    later: (next) => {
      waits.push(next)
      return () => {}
    },
  })
  const call = (name: 'onopen' | 'onclose', event: object) => {
    const handler: unknown = wires.at(-1)?.[name]
    if (typeof handler === 'function') handler.call(wires.at(-1), event)
  }
  return { socket, wires, waits, open: () => call('onopen', {}), close: (code: number) => call('onclose', { code }) }
}

const settle = () => new Promise((resolve) => setImmediate(resolve))

test.each([1001, 1006, 1013, 4401])('a connection that was closed with %i is opened again', async (code) => {
  const { socket, wires, waits, open, close } = createRig()
  await settle()
  open()
  const asked = socket.call('ping', {})
  close(code)
  await expect(asked).rejects.toThrow('nothing of the conversation is lost')
  expect(socket.link()).toBe('lost')
  waits.at(-1)?.()
  await settle()
  open()
  expect([wires.length, socket.link()]).toEqual([2, 'open'])
})

test('one that is refused for its address is given up, in words', async () => {
  const { socket, wires, waits, open, close } = createRig()
  await settle()
  open()
  const asked = socket.call('ping', {})
  close(4403)
  await expect(asked).rejects.toMatchObject({ code: 'REFUSED', message: expect.stringContaining('dashboard.public_url') })
  expect([socket.link(), waits.length, wires.length]).toEqual(['refused', 0, 1])
  await expect(socket.call('ping', {})).rejects.toMatchObject({ code: 'REFUSED' })
})

test.each([
  ['open', 0],
  ['lost', 1006],
  ['refused', 4403],
])('who waits for the first connection goes on when it is %s', async (link, code) => {
  const { socket, open, close } = createRig()
  let over = false
  const waiting = untilConnected(socket).then(() => {
    over = true
  })
  await settle()
  expect(over).toBe(false)
  if (code === 0) open()
  else close(code)
  await waiting
  await untilConnected(socket)
  expect(socket.link()).toBe(link)
})
