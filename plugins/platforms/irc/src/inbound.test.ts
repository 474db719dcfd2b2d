import { expect, test } from 'vitest'
import { readAddress, readMessage } from './inbound.ts'
import { parseLine } from './wire.ts'

function read(text: string, nick = 'Agent') {
  const line = parseLine(text)
  return line && readMessage(line, { account: 'agent@irc.test', nick, createId: () => 'id-1' })
}

test('a query is a conversation of two', () => {
  expect(read(':Ann!~ann@host PRIVMSG agent :hello')).toEqual({
    id: 'id-1',
    account: 'agent@irc.test',
    conversation: { id: 'ann', kind: 'dm', name: 'Ann' },
    sender: { id: 'ann', name: 'Ann', isBot: false },
    text: 'hello',
    addressed: true,
  })
})

test('a channel is a group', () => {
  expect(read(':Ann!~ann@host PRIVMSG #Room :AGENT, hello')).toMatchObject({
    conversation: { id: '#room', kind: 'group', name: '#Room' },
    sender: { id: 'ann' },
    text: 'hello',
    addressed: true,
  })
  expect(read(':Ann!~ann@host PRIVMSG #Room :hello all')).toMatchObject({ text: 'hello all', addressed: false })
})

test.each([
  ['agent: do it', 'do it', true],
  ['agent,do it', 'do it', true],
  ['Agent:  spaces ', 'spaces', true],
  ['hey @agent, listen', 'hey @agent, listen', true],
  ['is that agent?', 'is that agent?', true],
  ['agent do it', 'agent do it', true],
  ['agents: do it', 'agents: do it', false],
  ['agent-smith: do it', 'agent-smith: do it', false],
  ['[agent] left', '[agent] left', false],
  ['reagent', 'reagent', false],
])('in a channel, %j', (said, text, addressed) => {
  expect(readAddress(said, 'agent')).toEqual({ text, addressed })
})

test('a nick with brackets is found in both cases', () => {
  expect(readAddress('BOT{1}: hi', 'bot[1]')).toEqual({ text: 'hi', addressed: true })
  expect(readAddress('look, bot[1]!', 'BOT{1}')).toMatchObject({ addressed: true })
})

test('colours and styles are left out, and an action is text', () => {
  expect(read(':ann!a@h PRIVMSG agent :\u00034,12red\u0003 \u0002bold\u000f 5')?.text).toBe('red bold 5')
  expect(read(':ann!a@h PRIVMSG #room :\u0001ACTION pokes agent\u0001')).toMatchObject({ text: '* ann pokes agent', addressed: true })
})

test.each([
  ':ann!a@h NOTICE agent :hello',
  ':ann!a@h PRIVMSG agent :\u0001VERSION\u0001',
  ':ann!a@h PRIVMSG agent :\u0001',
  ':ann!a@h PRIVMSG agent :\u0002 ',
  ':ann!a@h PRIVMSG somebody :hello',
  ':ann!a@h PRIVMSG $* :hello',
  ':ann!a@h PRIVMSG',
  ':aGENT!a@h PRIVMSG #room :agent: an echo',
  ':irc.test PRIVMSG agent :from the server',
  ':NickServ!ns@host PRIVMSG agent :identify',
  ':Global!x@services.test PRIVMSG agent :news',
  ':ann!a@h JOIN #room',
])('%j is not for the agent', (text) => {
  expect(read(text)).toBeUndefined()
})

test('only the nick of this moment is ours', () => {
  expect(read(':ann!a@h PRIVMSG agent :hello', 'agent_')).toBeUndefined()
  expect(read(':ann!a@h PRIVMSG agent_ :hello', 'agent_')).toMatchObject({ addressed: true })
})
