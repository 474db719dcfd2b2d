import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { type IrcServerOptions, openIrcServer } from './irc-server.ts'

/** What the server says to these lines until it is asked and answers that it is through, or hangs up. */
async function converse(options: IrcServerOptions, ...lines: readonly string[]): Promise<readonly string[]> {
  const server = await openIrcServer(options)
  const socket = connect(server.port, '127.0.0.1')
  let heard = ''
  const over = once(socket, 'close')
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text
    if (heard.includes('PONG')) socket.destroy()
  })
  socket.write([...lines, 'PING over', ''].join('\r\n'))
  await over
  await server.close()
  return heard.split('\r\n').filter((line) => line !== '' && !line.includes('PONG'))
}

const hello = ['NICK ann', 'USER ann 0 * :Ann']
const welcome = ':irc.test 001 ann :Welcome to the Internet Relay Network ann!~ann@127.0.0.1'

test('a client that introduces itself is welcome, joins and is heard', async () => {
  expect(await converse({}, ...hello, 'JOIN #a', 'PRIVMSG #a :hello')).toEqual([
    welcome,
    ':ann!~ann@127.0.0.1 JOIN #a',
    ':irc.test 366 ann #a :End of NAMES list',
  ])
})

test.each<[string, IrcServerOptions, readonly string[], readonly string[]]>([
  ['a wrong password', { password: 'x' }, ['PASS y', ...hello], [':irc.test 464 ann :Password incorrect', 'ERROR :Bad password']],
  ['a missing password', { password: 'x' }, hello, [':irc.test 464 ann :Password incorrect', 'ERROR :Bad password']],
  ['a taken nick', { taken: ['Ann'] }, hello, [':irc.test 433 * ann :Nickname already in use']],
  ['a long nick', { longestNick: 2 }, hello, [':irc.test 432 * ann :Erroneous nickname']],
  ['talk before the welcome', {}, ['PRIVMSG bob :hi'], [':irc.test 451 * :Connection not registered']],
  ['a line of 511 bytes', {}, [...hello, `PRIVMSG bob :${'x'.repeat(498)}`], [welcome, ':irc.test 417 ann :Input line was too long']],
  ['a stranger', {}, [...hello, 'PRIVMSG nobody :hi'], [welcome, ':irc.test 401 ann nobody :No such nick or channel name']],
  ['a channel that was not joined', {}, [...hello, 'PRIVMSG #a :hi'], [welcome, ':irc.test 404 ann #a :Cannot send to channel']],
  ['no text', {}, [...hello, 'PRIVMSG bob :'], [welcome, ':irc.test 412 ann :No text to send']],
  ['a closed channel', { closed: ['#a'] }, [...hello, 'JOIN #a'], [welcome, ':irc.test 474 ann #a :Cannot join channel (+b)']],
  ['an odd channel', {}, [...hello, 'JOIN a'], [welcome, ':irc.test 403 ann a :No such channel']],
  ['SASL where it is not offered', {}, ['CAP REQ :sasl'], [':irc.test CAP * NAK :sasl']],
  [
    'another way than a password',
    { sasl: { user: 'u', password: 'p' } },
    ['CAP LS 302', ...hello, 'AUTHENTICATE EXTERNAL'],
    [':irc.test CAP * LS * :multi-prefix', ':irc.test CAP * LS :sasl=EXTERNAL,PLAIN', ':irc.test 904 ann :SASL authentication failed'],
  ],
  ['an unknown command', {}, [...hello, 'CONSTRUCTOR x'], [welcome, ':irc.test 421 ann CONSTRUCTOR :Unknown command']],
])('%s is refused', async (_what, options, lines, answers) => {
  expect(await converse(options, ...lines)).toEqual(answers)
})

test('a line of 510 bytes is taken, and cut for its readers', async () => {
  const server = await openIrcServer()
  const socket = connect(server.port, '127.0.0.1')
  const answered = once(socket.setEncoding('utf8'), 'data')
  socket.write([...hello, `PRIVMSG bob :${'x'.repeat(497)}`, ''].join('\r\n'))
  expect(await answered).toEqual([`${welcome}\r\n`])
  await expect.poll(() => server.relayed.map((line) => line.length)).toEqual([510])
  await server.close()
  socket.destroy()
})
