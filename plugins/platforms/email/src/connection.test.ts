import { readFileSync } from 'node:fs'
import { manifestSchema } from '@agent/plugin-sdk'
import { createFakeClock, openTestContext } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { type MailWorld, openMailWorld } from '../test/mail-world.ts'
import { config } from './config.ts'
import email from './connection.ts'

const manifest = manifestSchema.parse(JSON.parse(readFileSync(new URL('../agent.plugin.json', import.meta.url), 'utf8')))
const call = () => ({ id: 'call_1', signal: new AbortController().signal, deadline: 60_000 })

interface More {
  readonly extra?: object
  readonly state?: ReturnType<typeof openTestContext>['context']['state']
}

/** The adapter in a host of the tests, whose time stands still. */
async function open(world: MailWorld, { extra = {}, state }: More = {}) {
  const clock = createFakeClock()
  const settings = config.parse({ ...world.extra, trust_from: true, ...extra })
  const host = openTestContext({ manifest, contribution: 'email', config: settings, secrets: world.secrets('right-password') })
  const context = { ...host.context, config: settings, clock, ...(state ? { state } : {}) }
  const connection = await email.connect(context, call())
  return {
    host,
    clock,
    context,
    connection,
    texts: () => host.received.map(({ text }) => text),
    [Symbol.asyncDispose]: async () => {
      await connection.close(call())
      await host.close()
    },
  }
}

const failure = async (world: MailWorld, extra: object = {}): Promise<unknown> =>
  open(world, { extra }).then(
    () => 'connected',
    (error: unknown) => error,
  )

test('old mail is not answered, what came while nobody looked is', async () => {
  await using world = await openMailWorld()
  world.write({ text: 'old', isAnswer: true })
  const first = await open(world)
  world.write({ text: 'new', isAnswer: true })
  await expect.poll(first.texts).toEqual(['new'])
  await first[Symbol.asyncDispose]()
  world.write({ text: 'meanwhile', isAnswer: true })
  await using second = await open(world, { state: first.context.state })
  await expect.poll(second.texts).toEqual(['meanwhile'])
})

test('what the host has not taken is offered again by the next connection', async () => {
  await using world = await openMailWorld()
  const first = await open(world)
  first.host.answerReceive({ status: 'busy', retryAfterMs: 60_000 })
  world.write({ text: 'keep me', isAnswer: true })
  await expect.poll(first.texts).toEqual(['keep me'])
  await first[Symbol.asyncDispose]()
  await using second = await open(world, { state: first.context.state })
  await expect.poll(second.texts).toEqual(['keep me'])
  expect(second.host.received[0]?.id).toBe(first.host.received[0]?.id)
})

test('a renumbered mailbox is not answered from its beginning', async () => {
  await using world = await openMailWorld()
  const first = await open(world)
  await first[Symbol.asyncDispose]()
  world.write({ text: 'lost', isAnswer: true })
  world.imap.renumber('INBOX')
  await using second = await open(world, { state: first.context.state })
  world.write({ text: 'after', isAnswer: true })
  await expect.poll(second.texts).toEqual(['after'])
  expect(second.host.lines.join()).toContain('renumbered a mailbox')
})

test('a server that tells nothing is asked', async () => {
  await using world = await openMailWorld()
  world.imap.faults.capabilities = 'IMAP4rev1'
  await using agent = await open(world, { extra: { poll_interval: 15 } })
  await expect.poll(agent.clock.sleeping).toBe(1)
  world.write({ text: 'found by looking', isAnswer: true })
  await agent.clock.advance(14_999)
  expect(agent.texts()).toEqual([])
  await agent.clock.advance(1)
  await expect.poll(agent.texts).toEqual(['found by looking'])
  expect(world.imap.commands).not.toContain('IDLE')
})

test('a server that tells is asked for a sign of life', async () => {
  await using world = await openMailWorld()
  await using agent = await open(world)
  await expect.poll(() => world.imap.commands.at(-1)).toBe('IDLE')
  const before = await agent.connection.lastHeard(call())
  await agent.clock.advance(20_000)
  await expect.poll(() => agent.connection.lastHeard(call())).toBe(before + 20_000)
})

test('a server that is seldom asked for mail gives signs of life', async () => {
  await using world = await openMailWorld()
  world.imap.faults.capabilities = 'IMAP4rev1'
  await using agent = await open(world, { extra: { poll_interval: 300 } })
  await expect.poll(agent.clock.sleeping).toBe(1)
  const before = await agent.connection.lastHeard(call())
  await agent.clock.advance(20_000)
  await expect.poll(() => agent.connection.lastHeard(call())).toBe(before + 20_000)
  await expect.poll(agent.clock.sleeping).toBe(1)
  expect(world.imap.commands.filter((line) => line.startsWith('UID FETCH'))).toHaveLength(1)
})

test('several mailboxes are read', async () => {
  await using world = await openMailWorld()
  await using agent = await open(world, { extra: { mailboxes: ['INBOX', 'Sent'] } })
  await expect.poll(agent.clock.sleeping).toBe(1)
  world.imap.append('Sent', 'From: bob@example.org\r\nIn-Reply-To: <1@x>\r\n\r\nfrom the other one\r\n')
  await agent.clock.advance(15_000)
  await expect.poll(agent.texts).toEqual(['from the other one'])
})

test('a letter that the server cannot give does not stand before the next', async () => {
  await using world = await openMailWorld()
  await using agent = await open(world)
  world.imap.faults.refuseFetch = '[SERVERBUG] it is damaged'
  world.write({ text: 'damaged', isAnswer: true })
  world.imap.append('INBOX', 'no head at all')
  world.imap.append(
    'INBOX',
    Buffer.from('From: bob@example.org\r\nContent-Type: text/plain; charset=x-none\r\nIn-Reply-To: <1@x>\r\n\r\ncaf\xe9', 'latin1'),
  )
  world.write({ text: 'whole', isAnswer: true })
  await expect.poll(() => agent.texts().at(-1)).toBe('whole')
  expect(agent.texts()).toEqual(['café', 'whole'])
  expect(agent.host.lines.join()).toContain('cannot be read and is left out')
})

test('passwords go nowhere unencrypted unless that was asked for', async () => {
  await using world = await openMailWorld()
  expect(await failure(world, { imap_security: 'starttls' })).toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(await failure(world, { imap_security: 'tls' })).toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(world.imap.commands.filter((line) => /^LOGIN|^AUTHENTICATE/.test(line))).toEqual([])
  expect(await failure(world, { smtp_security: 'starttls' })).toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  expect(world.smtp.passwords).toEqual([])
})

test('a refusal is final, unless the server says that it is for now', async () => {
  await using world = await openMailWorld()
  world.imap.faults.refuseLogin = '[AUTHENTICATIONFAILED] no'
  expect(await failure(world)).toMatchObject({ code: 'PLATFORM_AUTH' })
  world.imap.faults.refuseLogin = '[UNAVAILABLE] later'
  expect(await failure(world)).toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  world.imap.faults.refuseLogin = undefined
  world.smtp.refuseLogin('454 4.7.0 later')
  expect(await failure(world)).toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
  world.smtp.refuseLogin('535 5.7.8 no')
  expect(await failure(world)).toMatchObject({ code: 'PLATFORM_AUTH', params: { detail: expect.stringContaining('535') } })
  expect(await failure(world, { mailboxes: ['Nowhere'] })).toMatchObject({ code: 'PLATFORM_UNREACHABLE' })
})

test('mail still comes after a file was fetched, and a file of a letter that is gone is missing', async () => {
  await using world = await openMailWorld()
  await using agent = await open(world)
  world.write({ text: 'look', isAnswer: true, file: { name: 'a.txt', mime: 'application/pdf', bytes: Buffer.from('bytes') } })
  await expect.poll(() => agent.host.received.length).toBe(1)
  const [file] = agent.host.received[0]?.media ?? []
  if (!file) throw new Error('There is no file.')
  const read = async (id: string): Promise<string> => {
    const chunks: Uint8Array[] = []
    for await (const chunk of agent.connection.fetchMedia?.({ ...file, id }, call()) ?? []) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }
  expect(await read(file.id)).toBe('bytes')
  world.write({ text: 'afterwards', isAnswer: true })
  await expect.poll(agent.texts).toContain('afterwards')
  for (const id of ['nonsense', file.id.replace(/^7/, '8'), '7/99/1/INBOX']) {
    await expect(read(id)).rejects.toMatchObject({ code: 'MEDIA_MISSING' })
  }
})
