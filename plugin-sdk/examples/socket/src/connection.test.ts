// @module-tag process
import { readFileSync } from 'node:fs'
import { type Call, manifestSchema, type OutboundMessage, type PlatformContext } from '@agent/plugin-sdk'
import { createFakeClock, openTestContext } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { makeCertificate } from '../test/certificate.ts'
import { openLineServer } from '../test/line-server.ts'
import { type Config, config } from './config.ts'
import entry from './connection.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))
const call: Call = { id: 'call_1', signal: new AbortController().signal, deadline: 30_000 }

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

/** A server, a host and a clock that stands still. */
async function openRig(settings: Partial<Config> = {}) {
  const server = await openLineServer('token')
  open.push(() => server[Symbol.asyncDispose]())
  const values = config.parse({ host: 'localhost', port: server.port, ca: server.ca, ...settings })
  const secrets = { SOCKET_SAMPLE_TOKEN: 'token' }
  const host = openTestContext({ manifest, contribution: 'socket-sample', config: values, secrets })
  open.push(() => host.close())
  const clock = createFakeClock()
  const context = { ...host.context, clock } as PlatformContext<Config>
  return { server, host, clock, connect: () => entry.connect(context, call) }
}

const answer = (text: string, key = 'key-1'): OutboundMessage => {
  return { key, text, account: 'bot-1', conversation: 'ann', part: { index: 0, total: 1 } }
}

test('a text with line breaks arrives as one message and runs no command', async () => {
  const { server, connect } = await openRig()
  const text = 'yes\nSAY key-9 ann injected\r\nand \\n too'
  expect(await (await connect()).send?.(answer(text), call)).toEqual({ status: 'sent', platformId: 'm1' })
  expect(server.heard).toEqual([text])
  expect(server.lines.map(([command]) => command)).toEqual(['AUTH', 'SAY'])
})

test('a text that does not fit into a line is refused here: the server would hang up', async () => {
  const { server, host, connect } = await openRig()
  expect(await (await connect()).send?.(answer('\n'.repeat(2100)), call)).toMatchObject({
    status: 'refused',
    error: { code: 'SEND_REFUSED', params: { detail: expect.stringMatching(/4096 are allowed/) } },
  })
  expect({ said: server.heard, lost: host.lost }).toEqual({ said: [], lost: [] })
})

test('a message is taken only when the host has it, and offered again on the next connection', async () => {
  const { server, host, connect } = await openRig()
  host.answerReceive({ status: 'busy', retryAfterMs: 1000 })
  const first = await connect()
  server.say('hello')
  await expect.poll(() => host.received.length).toBe(1)
  await first.close(call)
  expect(server.lines.map(([command]) => command)).toEqual(['AUTH'])
  await connect()
  await expect.poll(() => server.lines.at(-1)).toEqual(['TAKEN', 'm1'])
  expect(host.received.map(({ id }) => id)).toEqual(['m1', 'm1'])
})

test('nothing more is read while the host is busy and fifty messages wait', async () => {
  const { server, host, clock, connect } = await openRig()
  await connect()
  host.answerReceive({ status: 'busy', retryAfterMs: 1000 })
  // More than comes in one piece with the fiftieth.
  const many = Array.from({ length: 200 }, (_, index) => `message ${index} ${'x'.repeat(3000)}`)
  for (const text of many) server.say(text)
  server.raw('PING behind\n')
  await expect.poll(() => host.received).toHaveLength(1)
  // Time enough for what is not stopped.
  for (let turn = 0; turn < 50; turn += 1) await clock.advance(1)
  expect(server.lines.map(([command]) => command)).toEqual(['AUTH'])
  await clock.advance(1000)
  await expect.poll(() => server.lines).toHaveLength(202)
  expect(server.lines.filter(([command]) => command === 'PONG')).toEqual([['PONG', 'behind']])
  expect(host.received.slice(1).map(({ text }) => text)).toEqual(many)
})

test('it asks for a sign of life, so that quiet people do not look like a dead server, and gives one', async () => {
  const { server, clock, connect } = await openRig()
  const connection = await connect()
  const before = await connection.lastHeard(call)
  await clock.advance(30_000)
  await expect.poll(() => connection.lastHeard(call)).toBe(before + 30_000)
  server.raw('PING word\n')
  await expect.poll(() => server.lines.at(-1)).toEqual(['PONG', 'word'])
})

test.each<[string, string | Uint8Array, string]>([
  ['a line that is too long', 'x'.repeat(5000), 'a line is longer than 4096 bytes'],
  ['bytes that are no text', Uint8Array.from([0xff, 10]), 'a line is not UTF-8'],
])('%s ends the connection and is told once; nobody connects again here', async (_what, bytes, detail) => {
  const { server, host, connect } = await openRig()
  await connect()
  server.raw(bytes)
  await expect.poll(() => host.lost).toMatchObject([{ code: 'PLATFORM_LOST', params: { detail } }])
  expect(server.lines.filter(([command]) => command === 'AUTH')).toHaveLength(1)
})

test('what was under way when the connection broke is unknown, and what comes later has not left', async () => {
  const { server, connect } = await openRig()
  const connection = await connect()
  server.hold()
  const sending = connection.send?.(answer('hello'), call)
  await expect.poll(() => server.lines.at(-1)?.[0]).toBe('SAY')
  server.cut()
  expect(await sending).toMatchObject({ status: 'unknown', error: { code: 'SEND_UNKNOWN' } })
  await expect(connection.send?.(answer('again'), call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  await expect(connection.findSent?.({ ...answer('hello'), firstTriedAt: 0 }, call)).rejects.toMatchObject({ code: 'PLATFORM_LOST' })
  expect(await (await connect()).findSent?.({ ...answer('hello'), firstTriedAt: 0 }, call)).toBeNull()
})

test('a send that is given up is unknown', async () => {
  const { server, connect } = await openRig()
  server.hold()
  const giveUp = new AbortController()
  const sending = (await connect()).send?.(answer('hello'), { ...call, signal: giveUp.signal })
  await expect.poll(() => server.lines.at(-1)?.[0]).toBe('SAY')
  giveUp.abort(new Error('it took too long'))
  expect(await sending).toMatchObject({ status: 'unknown', error: { params: { detail: 'it took too long' } } })
})

test('closing waits for the receipts of what is under way, and lets nothing more begin', async () => {
  const { server, host, connect } = await openRig()
  const connection = await connect()
  const letGo = server.hold()
  const sending = connection.send?.(answer('hello'), call)
  await expect.poll(() => server.lines.at(-1)?.[0]).toBe('SAY')
  const closing = connection.close(call)
  await expect(connection.send?.(answer('late', 'key-2'), call)).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  letGo()
  await closing
  expect(await sending).toMatchObject({ status: 'sent' })
  expect(host.lost).toEqual([])
})

test.each<[string, () => Partial<Config>, string]>([
  ['nobody vouches for the server', () => ({ ca: undefined }), 'PLATFORM_UNREACHABLE.*self-signed certificate'],
  ['another certificate is trusted', () => ({ ca: makeCertificate() }), 'PLATFORM_UNREACHABLE.*certificate'],
  ['the certificate is of another name', () => ({ host: '127.0.0.1' }), 'PLATFORM_UNREACHABLE.*does not match'],
  ['the setting is no certificate', () => ({ ca: 'nonsense' }), 'CONFIG_INVALID.*platforms.socket-sample.extra.ca'],
])('it does not talk where %s', async (_what, settings, problem) => {
  const { server, connect } = await openRig(settings())
  const refusal = await connect().then(
    () => 'it connected',
    ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
  )
  expect(refusal).toMatch(new RegExp(problem))
  expect(server.lines).toEqual([])
})
