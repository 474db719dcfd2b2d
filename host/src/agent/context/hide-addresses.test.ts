import type { InputPart, ModelMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { hideAddresses } from './hide-addresses.ts'

const image = (url: string): InputPart => ({ type: 'image', url })
const user = (...parts: InputPart[]): ModelMessage => ({ role: 'user', parts })
const link = `https://example.org/${'a'.repeat(180)}`
const picture = (letter: string): string => `data:image/png;base64,${letter.repeat(300)}`

test('a long address is a picture itself: it is hidden and comes back, the same one once', () => {
  const messages = [
    user(image(picture('a')), { type: 'text', text: 'two' }, image(picture('b'))),
    { role: 'assistant', parts: [{ type: 'text', text: 'yes' }] } as const,
    user(image(picture('a')), image(link)),
  ]
  const { messages: shown, restore } = hideAddresses(messages)
  expect(link).toHaveLength(200)
  expect(shown).toEqual([
    user(image('image:0'), { type: 'text', text: 'two' }, image('image:1')),
    messages[1],
    user(image('image:0'), image(link)),
  ])
  expect(restore(shown)).toEqual(messages)
  expect(hideAddresses([user(image(`${link}a`))]).messages).toEqual([user(image('image:0'))])
})

test('a reference that an engine made up is no picture', () => {
  const { restore } = hideAddresses([user(image(picture('a')))])
  expect(restore([user(image('image:7'), image('image:0'))])).toEqual([user({ type: 'text', text: '(a picture)' }, image(picture('a')))])
})
