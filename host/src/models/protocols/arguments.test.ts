import { expect, test } from 'vitest'
import { argumentsText } from './arguments.ts'

const deep = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`

test.each([
  ['', '{}'],
  ['{ "a": 1 }', '{ "a": 1 }'],
  ['{"a"', '{"broken_arguments":"{\\"a\\""}'],
  ['[1]', '{"broken_arguments":"[1]"}'],
  [deep, JSON.stringify({ broken_arguments: deep })],
])('arguments %.12j are told as %.30j, which a strict server can read', (text, told) => {
  expect(argumentsText(text)).toBe(told)
})
