import { expect, test } from 'vitest'
import { foldCase, formatLine, isWord, parseLine } from './wire.ts'

test.each([
  [':ann!~ann@host PRIVMSG #room :hello there', ['ann!~ann@host', 'ann', 'PRIVMSG', ['#room', 'hello there']]],
  ['PING :irc.test', ['', '', 'PING', ['irc.test']]],
  [':irc.test 001 agent :Welcome :) you', ['irc.test', 'irc.test', '001', ['agent', 'Welcome :) you']]],
  ['@time=now;id=1 :a!b@c  privmsg  agent   :', ['a!b@c', 'a', 'PRIVMSG', ['agent', '']]],
  [':a!b@c JOIN #room', ['a!b@c', 'a', 'JOIN', ['#room']]],
  ['QUIT', ['', '', 'QUIT', []]],
  [':a!b@c PRIVMSG agent :one\rtwo\0three', ['a!b@c', 'a', 'PRIVMSG', ['agent', 'onetwothree']]],
])('%j is read', (text, [source, nick, command, params]) => {
  expect(parseLine(text)).toEqual({ source, nick, command, params })
})

test.each(['', ' ', ':only-a-source', '@tags :src', '12 x', '::'])('%j is no line', (text) => {
  expect(parseLine(text)).toBeUndefined()
})

test('a text cannot begin another line', () => {
  expect(formatLine('PRIVMSG', '#room', 'hello\r\nQUIT :gone\0')).toBe('PRIVMSG #room :hello QUIT :gone ')
  expect(formatLine('NICK', 'agent\nQUIT')).toBe('NICK :agent QUIT')
})

test('only the last part may hold spaces, begin with a colon or be empty', () => {
  expect(formatLine('QUIT')).toBe('QUIT')
  expect(formatLine('JOIN', '#room')).toBe('JOIN #room')
  expect(formatLine('PASS', ':p w')).toBe('PASS ::p w')
  expect(formatLine('PONG', '')).toBe('PONG :')
  expect(parseLine(formatLine('PRIVMSG', 'ann', ':) hi '))?.params).toEqual(['ann', ':) hi '])
})

test('brackets are the capitals of braces', () => {
  expect(foldCase('Ann[A]\\^_')).toBe('ann{a}|~_')
  expect(foldCase('É`{|}~')).toBe('É`{|}~')
})

test('a receiver is one word', () => {
  expect(['ann', '#room', 'ann[a]'].every(isWord)).toBe(true)
  expect(['', ':ann', 'a b', 'a,b', 'a\r\nQUIT', 'a\tb', 'a\u0007'].filter(isWord)).toEqual([])
})
