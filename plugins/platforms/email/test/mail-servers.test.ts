import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { openImapServer } from './imap-server.ts'
import { openSmtpServer } from './smtp-server.ts'

/** Says lines one after the other and gives what came back, until the last tag or reply. */
async function talk(port: number, lines: readonly string[], last: RegExp): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let text = ''
  socket.write(lines.map((line) => `${line}\r\n`).join(''))
  for await (const chunk of socket) {
    text += String(chunk)
    if (last.test(text)) break
  }
  return text
}

test('the mailbox opens to the right password only', async () => {
  await using server = await openImapServer('right')
  expect(await talk(server.port, ['a SELECT INBOX', 'b LOGIN x wrong'], /^b .*/m)).toMatch(
    /^a BAD log in first\r\nb NO \[AUTHENTICATIONFAILED\]/m,
  )
  const said = await talk(server.port, ['a LOGIN "x" "right"', 'b SELECT Nowhere', 'c FLY', 'd SELECT INBOX'], /^d .*/m)
  expect(said).toMatch(/^a OK/m)
  expect(said).toMatch(/^b NO/m)
  expect(said).toMatch(/^c BAD/m)
  expect(said).toContain('[UIDNEXT 1]')
})

test('a mailbox gives the parts of a message by their numbers', async () => {
  await using server = await openImapServer('right')
  server.append(
    'INBOX',
    'Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nX-A: 1\r\n\r\none\r\n--b\r\nX-A: 2\r\n\r\ntwo\r\n--b--\r\n',
  )
  const said = await talk(
    server.port,
    ['a LOGIN x right', 'b EXAMINE INBOX', 'c UID FETCH 1 (UID BODY.PEEK[2] BODY.PEEK[1]<1.2>)'],
    /^c .*/m,
  )
  expect(said).toContain('BODY[2] {3}\r\ntwo BODY[1]<1> {2}\r\nne)')
})

test('mail is taken from clients that log in rightly, dots and all', async () => {
  await using server = await openSmtpServer('right')
  const login = (password: string) => `AUTH PLAIN ${Buffer.from(`\0x\0${password}`).toString('base64')}`
  const said = await talk(server.port, ['EHLO x', login('wrong'), 'FLY', 'QUIT'], /^221/m)
  expect(said).toMatch(/^535 [\s\S]*^500 /m)
  await talk(server.port, ['EHLO x', login('right'), 'MAIL FROM:<a@b>', 'RCPT TO:<c@d>', 'DATA', '..dot', '.', 'QUIT'], /^221/m)
  expect(server.taken).toEqual([{ from: 'a@b', to: 'c@d', source: '.dot\r\n' }])
})

test('a fault comes once and at its place', async () => {
  await using server = await openSmtpServer('right')
  server.breakNext({ type: 'refuse', at: 'RCPT', line: '550 nobody' })
  const lines = ['EHLO x', 'MAIL FROM:<a@b>', 'RCPT TO:<c@d>', 'RCPT TO:<c@d>', 'QUIT']
  expect(await talk(server.port, lines, /^221/m)).toMatch(/250 fine\r\n550 nobody\r\n250 fine\r\n/)
})
