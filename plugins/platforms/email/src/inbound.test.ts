import { expect, test } from 'vitest'
import { isByMachine, type Letter, readLetter } from './inbound.ts'
import { formatMessageId } from './message-id.ts'
import { parseHead } from './wire.ts'

const own = 'agent@example.org'

async function readHead(lines: readonly string[]) {
  const given = lines.some((line) => line.startsWith('From:')) ? lines : ['From: Ann <ann@people.org>', ...lines]
  const head = await parseHead(Buffer.from(`${given.join('\r\n')}\r\n\r\n`))
  if (!head) throw new Error('The head names nobody.')
  return head
}

const ignored = async (...lines: readonly string[]) => isByMachine(await readHead(lines), own)

test.each([
  ['From: agent@example.org'],
  ['From: Agent@Example.org'],
  ['From: noreply@shop.org'],
  ['From: no-reply+77@shop.org'],
  ['From: MAILER-DAEMON@people.org'],
  ['From: postmaster@people.org'],
  ['From: bounces-1@people.org'],
  ['Return-Path: <>'],
  ['Content-Type: multipart/report; report-type=delivery-status'],
  ['Auto-Submitted: auto-replied'],
  ['Auto-Submitted: auto-generated (rejected)'],
  ['Precedence: bulk'],
  ['Precedence: List'],
  ['List-Id: <news.people.org>'],
  ['List-Unsubscribe: <mailto:off@people.org>'],
  ['X-Auto-Response-Suppress: All'],
  ['X-Autoreply: yes'],
  [`Message-ID: ${formatMessageId('other@agents.org', 'key')}`],
])('%s is not answered', async (line) => {
  expect(await ignored(line)).toBe(true)
})

test('what a person writes is answered', async () => {
  expect(await ignored('Auto-Submitted: no', 'Return-Path: <ann@people.org>', 'Precedence: normal')).toBe(false)
  expect(await ignored('From: bouncer@people.org')).toBe(false)
})

const config = { trust_from: false, skip_attachments: false, subject: '' }
const receiver = { address: own, authservId: 'mx.example.org', config }
const place = { mailbox: 'INBOX', validity: '7', uid: 3 }
const file = { part: '2', kind: 'image', mime: 'image/png', name: 'dot.png', bytes: 12 } as const

async function read(lines: readonly string[], more: Partial<Letter> = {}, settings: Partial<typeof receiver> = {}) {
  return readLetter({ head: await readHead(lines), texts: ['Hello'], files: [], place, ...more }, { ...receiver, ...settings })
}

const proof = 'Authentication-Results: mx.example.org; dmarc=pass header.from=people.org'

test('a letter of a proved sender is a direct message', async () => {
  const letter = await read([proof, 'Subject: Lunch', 'Message-ID: <1@people.org>', 'References: <0@people.org>'], { files: [file] })
  expect(letter?.message).toEqual({
    id: '<1@people.org>',
    account: own,
    conversation: { id: 'ann@people.org', kind: 'dm', name: 'Ann' },
    sender: { id: 'ann@people.org', name: 'Ann', isBot: false },
    text: 'Hello',
    addressed: true,
    media: [{ id: '7/3/2/INBOX', kind: 'image', mime: 'image/png', name: 'dot.png', bytes: 12 }],
  })
  expect(letter?.thread).toEqual({
    conversation: 'ann@people.org',
    id: '<1@people.org>',
    messageId: '<1@people.org>',
    references: ['<0@people.org>'],
    subject: 'Lunch',
  })
})

test('a sender whom nobody vouches for has an id that no list names, in a separate conversation', async () => {
  for (const lines of [[], [proof, 'From: ann@people.org, bob@people.org'], [proof, 'From: ann@elsewhere.org']]) {
    const { sender, conversation } = (await read(lines))?.message ?? {}
    expect(sender?.id).toMatch(/^unverified:ann@/)
    expect(conversation?.id).toBe(sender?.id)
  }
  expect((await read([proof], {}, { authservId: undefined as never }))?.message.sender.id).toBe('unverified:ann@people.org')
})

test('trust_from believes a From, but not two of them', async () => {
  expect((await read([], {}, { config: { ...config, trust_from: true } }))?.message.sender.id).toBe('ann@people.org')
  const two = await read(['From: ann@people.org', 'From: bob@people.org'], {}, { config: { ...config, trust_from: true } })
  expect(two?.message.sender.id).toBe('unverified:ann@people.org')
})

test('a new thread begins with its subject, an answer does not', async () => {
  expect((await read(['Subject: Lunch']))?.message.text).toBe('[Subject: Lunch]\n\nHello')
  expect((await read(['Subject: Re: Lunch', 'In-Reply-To: <0@people.org>']))?.message).toMatchObject({
    text: 'Hello',
    replyTo: { id: '<0@people.org>' },
  })
  expect((await read([]))?.message.text).toBe('Hello')
})

test('an answer to the agent comes without what it quotes, one to somebody else with it', async () => {
  const texts = ['Yes.\n\nAm 23.11.2026 um 10:12 schrieb Agent:\n> Shall I?', 'enclosed:\n> as it is']
  const answer = await read([`In-Reply-To: ${formatMessageId(own, 'key')}`], { texts })
  expect(answer?.message.text).toBe('Yes.\n\nenclosed:\n> as it is')
  expect((await read(['In-Reply-To: <0@people.org>'], { texts }))?.message.text).toBe(texts.join('\n\n'))
})

test('a letter without a name is named by its place', async () => {
  const letter = await read([])
  expect(letter?.message.id).toBe('7/3/INBOX')
  expect(letter?.thread).not.toHaveProperty('messageId')
})

test('long letters are cut, empty ones are none, files can be left out', async () => {
  const text = (await read(['In-Reply-To: <0@x>'], { texts: ['x'.repeat(60_000)] }))?.message.text ?? ''
  expect(text).toBe(`${'x'.repeat(50_000)}\n[The rest was cut.]`)
  expect(await read([], { texts: [''] })).toBeUndefined()
  expect(await read([], { texts: [''], files: [file] })).toBeDefined()
  expect(await read([], { texts: [''], files: [file] }, { config: { ...config, skip_attachments: true } })).toBeUndefined()
})
