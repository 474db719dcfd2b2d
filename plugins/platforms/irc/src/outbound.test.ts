import type { Call, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { createFakeClock, type FakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { type IrcServer, openIrcServer } from '../test/irc-server.ts'
import { type Client, openClient } from './client.ts'
import { createSender, splitText } from './outbound.ts'
import { joinChannels, register } from './registration.ts'

const open = new Set<() => unknown>()
afterEach(async () => {
  for (const close of [...open].reverse()) await close()
  open.clear()
})

interface Sending {
  readonly server: IrcServer
  readonly client: Client
  readonly clock: FakeClock
  readonly controller: AbortController
  send(text: string, to?: string): Promise<Receipt>
  finish(signal: AbortSignal): Promise<void>
}

async function openSending({ lineDelayMs = 0 } = {}): Promise<Sending> {
  const clock = createFakeClock()
  const server = await openIrcServer({ now: clock.now, threshold: lineDelayMs === 0 ? Number.POSITIVE_INFINITY : 20 })
  open.add(() => server.close())
  const controller = new AbortController()
  const { signal } = controller
  const call: Call = { id: 'call_1', signal, deadline: 30_000 }
  let ids = 0
  const createId = (): string => `key-${++ids}`
  const client = await openClient({ host: '127.0.0.1', port: server.port, tls: false, clock, signal, createId })
  open.add(() => client.close())
  const settings = { server: '127.0.0.1', port: server.port, tls: false, nickname: 'agent', channels: [], lineDelayMs }
  await register(client, { ...settings, password: undefined, nickServPassword: undefined, sasl: undefined, certificate: undefined }, signal)
  const nothing = (): void => undefined
  await joinChannels(client, ['#room'], { debug: nothing, info: nothing, warn: nothing, error: nothing }, signal)
  const sender = createSender({ client, clock, lineDelayMs, createId })
  const message = (text: string, conversation: string): OutboundMessage => ({
    key: 'in:1:0',
    account: 'agent@127.0.0.1',
    conversation,
    text,
    part: { index: 0, total: 1 },
  })
  return { server, client, clock, controller, send: (text, to = '#room') => sender.send(message(text, to), call), finish: sender.finish }
}

const said = ({ server }: Sending): readonly string[] => server.relayed.map((line) => line.replace(/^\S+ PRIVMSG \S+ :/, ''))

test('a message is sent when the server has answered for it', async () => {
  const irc = await openSending()
  expect(await irc.send('hello\n\n  two  \r\n')).toEqual({ status: 'sent', platformId: expect.stringMatching(/^key-/) })
  expect(said(irc)).toEqual(['hello', '  two'])
})

test('every line reaches its readers whole', async () => {
  const irc = await openSending()
  const text = Array.from({ length: 300 }, (_, index) => `wörd-${index}`).join(' ')
  for (const to of ['#room', 'someone-with-a-long-nick']) expect(await irc.send(text, to)).toMatchObject({ status: 'sent' })
  expect(said(irc).join(' ')).toBe(`${text} ${text}`)
  const sizes = irc.server.relayed.map((line) => Buffer.byteLength(`${line}\r\n`))
  expect(Math.max(...sizes)).toBeLessThanOrEqual(512)
  expect(Math.max(...sizes)).toBeGreaterThan(490)
})

test.each([
  ['nobody', 'No such nick or channel name'],
  ['#elsewhere', 'Cannot send to channel'],
])('a message to %s is refused with the reason of the server', async (to, detail) => {
  const irc = await openSending()
  expect(await irc.send('one\ntwo', to)).toEqual({
    status: 'refused',
    error: { code: 'SEND_REFUSED', params: { platform: 'IRC', detail } },
  })
  expect(await irc.send('hello')).toMatchObject({ status: 'sent' })
})

test.each(['#room\r\nQUIT', 'a b', '#room,#other', ':x', '$*', '@#room', '', 'ann!*@*'])('nothing is sent to %j', async (to) => {
  const irc = await openSending()
  const before = irc.server.lines.length
  expect(await irc.send('hello', to)).toMatchObject({ status: 'refused', error: { code: 'SEND_REFUSED' } })
  expect(await irc.send(' \n\0', '#room')).toMatchObject({ status: 'refused' })
  expect(await irc.send('proof')).toMatchObject({ status: 'sent' })
  expect(irc.server.lines.slice(before)).toEqual(['PRIVMSG #room :proof', expect.stringMatching(/^PING /)])
})

test('after the first five lines there is a pause before each, the question for the receipt included', async () => {
  const irc = await openSending({ lineDelayMs: 500 })
  const sending = irc.send('1\n2\n3\n4\n5\n6')
  await expect.poll(() => said(irc)).toEqual(['1', '2', '3', '4', '5'])
  await irc.clock.advance(499)
  expect(irc.clock.sleeping()).toBe(1)
  await irc.clock.advance(1)
  await expect.poll(() => said(irc)).toEqual(['1', '2', '3', '4', '5', '6'])
  expect(irc.server.lines.at(-1)).toBe('PRIVMSG #room :6')
  await irc.clock.advance(500)
  expect(await sending).toMatchObject({ status: 'sent' })
})

test.each([
  [1000, 45],
  [500, 32],
])('of 45 lines with %i ms between them a server that counts a second for each takes %i', async (lineDelayMs, most) => {
  const irc = await openSending({ lineDelayMs })
  const texts = Array.from({ length: 5 }, (_, part) => Array.from({ length: 9 }, (_, line) => `line ${part}.${line}`).join('\n'))
  const sending = Promise.allSettled(texts.map((text) => irc.send(text)))
  let isOver = false
  void sending.then(() => {
    isOver = true
  })
  while (!isOver) {
    await expect.poll(() => isOver || irc.clock.sleeping() > 0).toBe(true)
    await irc.clock.advance(lineDelayMs)
  }
  expect(said(irc).length).toBeLessThanOrEqual(most)
  expect((await sending).every(({ status }) => status === 'fulfilled')).toBe(most === 45)
  if (most === 45) expect(said(irc)).toEqual(texts.join('\n').split('\n'))
})

test('a message without an answer is unknown after twenty seconds', async () => {
  const irc = await openSending()
  irc.server.mute()
  const sending = irc.send('hello')
  await expect.poll(() => irc.server.lines.at(-1)).toMatch(/^PING key/)
  await irc.clock.advance(20_000)
  expect(await sending).toMatchObject({ status: 'unknown', error: { code: 'SEND_UNKNOWN' } })
  expect(irc.clock.sleeping()).toBe(0)
})

test('a message during which the connection breaks is unknown, and the next one has not left', async () => {
  const irc = await openSending()
  irc.server.mute()
  const sending = irc.send('hello')
  const next = irc.send('later')
  await expect.poll(() => irc.server.lines.at(-1)).toMatch(/^PING key/)
  irc.server.cut()
  expect(await sending).toMatchObject({ status: 'unknown', error: { code: 'SEND_UNKNOWN' } })
  await expect(next).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(irc.server.lines).not.toContain('PRIVMSG #room :later')
})

test('at the end the message that was begun gets its receipt, and nothing more is begun', async () => {
  const irc = await openSending()
  const sending = irc.send('hello')
  await expect.poll(() => irc.server.lines).toContain('PRIVMSG #room :hello')
  const next = expect(irc.send('later')).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  await irc.finish(irc.controller.signal)
  expect(await sending).toMatchObject({ status: 'sent' })
  await next
})

test('the end waits no longer than it is told to', async () => {
  const irc = await openSending()
  irc.server.mute()
  const sending = irc.send('hello')
  await expect.poll(() => irc.server.lines.at(-1)).toMatch(/^PING key/)
  await irc.finish(AbortSignal.abort())
  const patience = new AbortController()
  const finishing = irc.finish(patience.signal)
  patience.abort()
  await finishing
  irc.server.cut()
  expect(await sending).toMatchObject({ status: 'unknown' })
})

test('a message that is given up before its first line has not left', async () => {
  const irc = await openSending()
  irc.controller.abort(new Error('enough'))
  await expect(irc.send('hello')).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test.each([
  ['short', 10, ['short']],
  ['one two three', 8, ['one two', 'three']],
  ['one two three', 7, ['one two', 'three']],
  ['abcdefghij', 4, ['abcd', 'efgh', 'ij']],
  ['a bcdefghij', 6, ['a bcde', 'fghij']],
  ['ééé', 3, ['é', 'é', 'é']],
  ['a😀😀', 5, ['a😀', '😀']],
  ['😀😀', 2, ['😀', '😀']],
  ['one\n\ntwo\r\nthree\0\u0001', 10, ['one', 'two', 'three']],
  ['', 10, []],
])('%j in lines of %i bytes', (text, room, lines) => {
  expect(splitText(text, room)).toEqual(lines)
})
