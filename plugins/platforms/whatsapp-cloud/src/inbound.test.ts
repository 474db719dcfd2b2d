import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readMessage, readPress } from './inbound.ts'
import { parseNotice } from './wire.ts'

const phoneNumberId = '106540352242922'

function open(name: string) {
  const text = readFileSync(new URL(`../fixtures/${name}.json`, import.meta.url), 'utf8')
  const { messages = [], names = new Map<string, string>() } = parseNotice(text, phoneNumberId, undefined) ?? {}
  const receiver = { phoneNumberId, names, findText: (id: string) => (id === 'wamid.out1' ? 'It is red.' : undefined) }
  return { messages, receiver, read: () => messages.map((message) => readMessage(message, receiver)) }
}

test('a message says who wrote what to whom, and what is quoted', () => {
  expect(open('text').read()).toEqual([
    {
      id: 'wamid.HBgLMTU1NTAwMDIyMjIVAgASGBQzQUFERjg0NDEzNDdFODU3MUMxMAA=',
      account: phoneNumberId,
      conversation: { id: '15550002222', kind: 'dm', name: 'Ann' },
      sender: { id: '15550002222', name: 'Ann', aliases: ['+15550002222', 'US.13491208655302741918'], isBot: false },
      text: 'Does it come in another color?',
      addressed: true,
      replyTo: { id: 'wamid.out1', text: 'It is red.' },
      sentAt: 1_749_416_383_000,
    },
  ])
})

test('files, places and people without a number are read; marks, groups and the rest are not', () => {
  const read = open('media').read()
  expect(read.map((message) => message?.id)).toEqual([
    'wamid.image',
    'wamid.voice',
    'wamid.document',
    'wamid.location',
    ...[undefined, undefined, undefined, undefined],
    'wamid.hidden',
  ])
  expect(read.slice(0, 4)).toMatchObject([
    { text: 'Taj Mahal', media: [{ id: '1003383421387256', kind: 'image', mime: 'image/jpeg' }] },
    { text: '', media: [{ id: '1003383421387257', kind: 'voice', mime: 'audio/ogg' }] },
    { text: '', media: [{ id: '1003383421387258', kind: 'document', mime: 'application/pdf', name: 'plan.pdf' }] },
    { text: 'Location: Office Main Street 1 44.5, -107.25' },
  ])
  expect(read.at(-1)).toMatchObject({ sender: { id: 'US.13491208655302741918' }, conversation: { id: 'US.13491208655302741918' } })
  expect(read.at(-1)?.sender).not.toHaveProperty('aliases')
})

test('a pressed button is no message, and says below what it was', () => {
  const { messages, receiver, read } = open('pressed')
  expect(read()).toEqual([undefined, undefined])
  expect(messages.map((message) => readPress(message, receiver))).toMatchObject([
    { question: 'wamid.out1', press: { button: 'ask_1:0', account: phoneNumberId, sender: { id: '15550002222' } } },
    { question: 'wamid.out2', press: { button: 'ask_2:3' } },
  ])
  const text = open('text')
  expect(text.messages.map((message) => readPress(message, text.receiver))).toEqual([undefined])
})
