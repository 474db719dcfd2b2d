import type { OutboundMessage } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { type MailWorld, openMailWorld } from '../test/mail-world.ts'
import { config } from './config.ts'
import { openMemory } from './memory.ts'
import { formatMessageId, isAgentMessageId } from './message-id.ts'
import { createSender, formatSubject, writeLetter } from './outbound.ts'
import { loadSettings } from './settings.ts'

const call = () => ({ id: 'call_1', signal: new AbortController().signal, deadline: 60_000 })

const message: OutboundMessage = {
  key: 'key-1',
  account: 'agent@example.org',
  conversation: 'ann@example.org',
  text: 'Hello',
  part: { index: 0, total: 1 },
}

async function open(world: MailWorld, signal = new AbortController().signal) {
  const secrets = world.secrets('right-password')
  const settings = await loadSettings(config.parse(world.extra), {
    get: async (name) => secrets[name] ?? '',
    find: async (name) => secrets[name],
  })
  const values = new Map<string, never>()
  const state = {
    get: async (key: string) => values.get(key),
    set: async (key: string, value: unknown) => void values.set(key, value as never),
    delete: async (key: string) => void values.delete(key),
  }
  const memory = await openMemory(state, settings.address)
  const files = {
    put: () => Promise.reject(new Error('nothing is put')),
    read: async function* () {
      yield Buffer.from('bytes ')
      yield Buffer.from('of a file')
    },
  }
  return { settings, memory, state, sender: createSender({ settings, memory, files, clock: createFakeClock(), signal }) }
}

test.each([
  ['Lunch', 'Re: Lunch'],
  ['Re: Lunch', 'Re: Lunch'],
  ['RE: AW: re[2]: Sv: Lunch', 'Re: Lunch'],
  ['Regarding lunch', 'Re: Regarding lunch'],
  ['', 'Re:'],
])('"%s" is answered as "%s"', (subject, answer) => {
  expect(formatSubject(subject)).toBe(answer)
})

test('a name of ours is the same for the same key, and is known as an agent’s', () => {
  const id = formatMessageId('agent@example.org', 'key-1')
  expect(id).toMatch(/^<agent\.[0-9a-f]{32}@example\.org>$/)
  expect(formatMessageId('agent@example.org', 'key-1')).toBe(id)
  expect(formatMessageId('agent@example.org', 'key-2')).not.toBe(id)
  expect(isAgentMessageId(id)).toBe(true)
  expect(isAgentMessageId('<agent.ann@example.org>')).toBe(false)
})

test('an answer stands below what it answers, or else below the last letter', async () => {
  await using world = await openMailWorld()
  const { settings, memory, sender, state } = await open(world)
  const thread = (id: string, references: string[]) => ({
    conversation: 'ann@example.org',
    id,
    messageId: id,
    references,
    subject: `About ${id}`,
  })
  await memory.rememberThread(thread('<1@x>', []))
  await memory.rememberThread(thread('<2@x>', ['<0@x>']))
  expect(await sender.send({ ...message, replyTo: '<1@x>' }, call())).toEqual({
    status: 'sent',
    platformId: formatMessageId(settings.address, 'key-1'),
  })
  const [{ head = '', text = '' } = {}] = world.sent()
  expect(text).toBe('Hello')
  expect(head).toContain('Subject: Re: About <1@x>')
  expect(head).toContain('In-Reply-To: <1@x>')
  expect(head).toContain('References: <1@x>')
  expect(head).toContain('Auto-Submitted: auto-replied')
  const again = await openMemory(state, settings.address)
  expect(writeLetter({ settings, memory: again }, message)).toMatchObject({ inReplyTo: '<2@x>', references: ['<0@x>', '<2@x>'] })
  expect(memory.findThread('bob@example.org', '<1@x>')).toBeUndefined()
})

test('what answers nothing has a new subject', async () => {
  await using world = await openMailWorld()
  const { sender } = await open(world)
  await sender.send({ ...message, conversation: 'unverified:bob@example.org' }, call())
  const [{ head = '' } = {}] = world.sent()
  expect(head).toContain('Subject: Message from the agent')
  expect(head).toContain('Auto-Submitted: auto-generated')
  expect(head).not.toContain('In-Reply-To')
  expect(world.smtp.taken[0]).toMatchObject({ from: 'agent@example.org', to: 'bob@example.org' })
})

test('a file goes beside the text', async () => {
  await using world = await openMailWorld()
  const { sender } = await open(world)
  const blob = { blob: 'blob_1', mime: 'application/pdf', bytes: 15, name: 'plan ä.pdf' }
  await sender.send({ ...message, text: '', media: [{ blob, kind: 'document' }] }, call())
  expect(Buffer.from(world.sent()[0]?.files[0]?.bytes ?? []).toString()).toBe('bytes of a file')
})

test('nothing goes to what is no address, and nothing empty', async () => {
  await using world = await openMailWorld()
  const { sender } = await open(world)
  for (const more of [{ conversation: 'ann' }, { conversation: 'a@b.org\r\nBcc: c@d.org' }, { text: ' ' }]) {
    expect(await sender.send({ ...message, ...more }, call())).toMatchObject({ status: 'refused' })
  }
  expect(world.smtp.taken).toEqual([])
})

test('a refusal says whether it is for ever', async () => {
  await using world = await openMailWorld()
  const { sender } = await open(world)
  const kinds = [
    [{ type: 'refuse', at: 'RCPT', line: '550 5.1.1 nobody of this name' }, undefined],
    [{ type: 'refuse', at: 'RCPT', line: '451 4.7.1 greylisted' }, 60_000],
    [{ type: 'refuse', at: 'MAIL', line: '421 4.7.0 too many' }, 60_000],
    [{ type: 'refuse', at: 'DATA', line: '554 5.5.1 no' }, undefined],
    [{ type: 'refuse', at: 'END', line: '552 5.3.4 too big' }, undefined],
  ] as const
  for (const [fault, retryAfterMs] of kinds) {
    world.smtp.breakNext(fault)
    const receipt = await sender.send(message, call())
    expect(receipt).toMatchObject({ status: 'refused', error: { params: { detail: fault.line } } })
    expect(receipt.status === 'refused' ? receipt.error.retryAfterMs : 'none').toBe(retryAfterMs)
  }
})

test('what broke before the letter was taken was not sent, what broke after it nobody knows', async () => {
  await using world = await openMailWorld()
  const { sender } = await open(world)
  for (const at of ['MAIL', 'RCPT'] as const) {
    world.smtp.breakNext({ type: 'drop', at })
    await expect(sender.send(message, call())).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  }
  expect(world.smtp.taken).toEqual([])
  world.smtp.breakNext({ type: 'lose-answer' })
  expect(await sender.send(message, call())).toMatchObject({ status: 'unknown' })
  expect(world.smtp.taken).toHaveLength(1)
})

test('a lost letter is found among the sent ones; what is not there may have been sent all the same', async () => {
  await using world = await openMailWorld()
  const { settings, sender } = await open(world)
  await sender.send(message, call())
  expect(await sender.findSent({ ...message, key: 'key-1', firstTriedAt: 0 }, call())).toEqual({
    status: 'sent',
    platformId: formatMessageId(settings.address, 'key-1'),
  })
  expect(await sender.findSent({ ...message, key: 'key-2', firstTriedAt: 0 }, call())).toMatchObject({ status: 'unknown' })
})

test('after the end nothing begins', async () => {
  await using world = await openMailWorld()
  const { sender } = await open(world)
  await sender.finish(new AbortController().signal)
  await expect(sender.send(message, call())).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  const over = await open(world, AbortSignal.abort())
  await expect(over.sender.send(message, call())).rejects.toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})
