import { expect, test } from 'vitest'
import { decodeText, formatFileId, isAddress, parseCursor, parseFileId, parseHead, parseThreads } from './wire.ts'

const head = (...lines: readonly string[]) => parseHead(Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'))

test('a head is read with its encodings', async () => {
  const read = await head(
    'From: =?utf-8?B?w4RubmE=?= <Anna@Example.ORG>',
    'Subject: =?gb2312?B?xOO6ww==?=',
    'Message-ID: <a@b>',
    'In-Reply-To: <c@d>',
    'References: <x@y>',
    ' <c@d>',
    'Date: Sat, 21 Nov 2026 10:00:00 +0100',
  )
  expect(read).toMatchObject({
    from: { address: 'anna@example.org', name: 'Änna' },
    isSingle: true,
    subject: '你好',
    messageId: '<a@b>',
    inReplyTo: '<c@d>',
    references: ['<x@y>', '<c@d>'],
    sentAt: Date.parse('2026-11-21T09:00:00Z'),
  })
})

test('nobody can say who wrote where two are named', async () => {
  expect(await head('From: a@b.org, c@d.org')).toMatchObject({ from: { address: 'a@b.org' }, isSingle: false })
  expect(await head('From: a@b.org', 'From: c@d.org')).toMatchObject({ isSingle: false })
})

test('a head that makes no sense is read as far as it goes', async () => {
  expect(await head('Subject: nobody')).toBeUndefined()
  expect(await head('From: undisclosed')).toBeUndefined()
  expect(await head('From: a@b.org', 'Date: yesterday', 'Message-ID: nonsense', 'Subject: =?x-unknown?Q?caf=E9?=')).toMatchObject({
    messageId: undefined,
    sentAt: undefined,
    subject: 'café',
  })
})

const plain = { part: '1', type: 'text/plain', charset: 'utf-8', encoding: '7bit', isFlowed: false } as const

test.each([
  ['gb2312', 'base64', 'xOO6ww==', '你好'],
  ['unknown-8bit', '8bit', 'caf\xe9', 'café'],
  ['x"; boundary=evil', '7bit', 'hello', 'hello'],
  ['utf-8', 'quoted-printable', 'caf=C3=A9=\r\n!', 'café!'],
  ['utf-8', 'x-nobody-knows', 'as it is', 'as it is'],
])('text in %s and %s', async (charset, encoding, content, text) => {
  expect(await decodeText({ ...plain, charset, encoding }, Buffer.from(content, 'latin1'))).toBe(text)
})

test('of HTML only the words are left', async () => {
  const html = '<style>p{color:red}</style><script>alert(1)</script><p>Hi &amp; <b>bye</b></p><a href="https://x.org">here</a><br>end'
  const text = await decodeText({ ...plain, type: 'text/html' }, Buffer.from(html))
  expect(text).toContain('Hi & bye')
  expect(text).toContain('https://x.org')
  expect(text).not.toMatch(/[<>]|color|alert/)
})

test('HTML that is never closed is read in no time', async () => {
  for (const piece of ['<style', '<style></style', '<a ', '<a href="', '<!--', '<']) {
    expect(await decodeText({ ...plain, type: 'text/html' }, Buffer.from(piece.repeat(80_000)))).toEqual(expect.any(String))
  }
})

test('lines that were wrapped for the way are joined', async () => {
  expect(await decodeText({ ...plain, isFlowed: true }, Buffer.from('one \r\ntwo\r\nthree'))).toBe('one two\nthree')
})

test('an address is one that can be written to, and no more', () => {
  for (const good of ['a@b.org', 'ann+tag@localhost', 'ä@ü.org']) expect(isAddress(good)).toBe(true)
  for (const bad of ['', 'a', 'a@', 'a@b@c', 'a@b.org,c@d.org', 'a b@c.org', 'a@b.org\r\nBcc: c@d.org', '<a@b.org>'])
    expect(isAddress(bad)).toBe(false)
})

test('the place of a file survives its way through the host', () => {
  const place = { mailbox: 'Work/In box', validity: '17', uid: 4, part: '2.1' }
  expect(parseFileId(formatFileId(place))).toEqual(place)
  expect(parseFileId('nonsense')).toBeUndefined()
})

test('state that was damaged is forgotten', () => {
  expect(parseCursor({ validity: '1', uid: 'x' })).toBeUndefined()
  expect(parseThreads([{ id: 1 }])).toEqual([])
  expect(parseThreads('nonsense')).toEqual([])
})

test('a line of spaces without end is read once', async () => {
  const text = `a${' '.repeat(1_000_000)}b`
  expect(await decodeText(plain, Buffer.from(`${text}\t \r\nend \r\n`))).toBe(`${text}\nend`)
})
