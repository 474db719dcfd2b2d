import { estimateTokens, type ModelMessage } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { leaveOut } from './leave-out.ts'

const turn = (asked: string): readonly ModelMessage[] => [
  { role: 'user', parts: [{ type: 'text', text: asked }] },
  { role: 'assistant', parts: [{ type: 'text', text: `Done. ${'word '.repeat(200)}` }] },
]

test('the oldest turns become a line each', () => {
  const messages = ['one', 'two', 'three', 'four'].flatMap(turn)
  const shorter = leaveOut(messages, { room: 700, line: 100 })
  expect(estimateTokens(shorter)).toBeLessThanOrEqual(700)
  expect(shorter[0]).toEqual({
    role: 'user',
    parts: [
      { type: 'text', text: '[Background: these turns came before, and are left out.]\n- one\n- two' },
      { type: 'text', text: 'three' },
    ],
  })
})

test('lines of an earlier time are taken along', () => {
  const once = leaveOut(['one', 'two'].flatMap(turn), { room: 350, line: 100 })
  const twice = leaveOut([...once, ...turn('three')], { room: 350, line: 100 })
  expect(JSON.stringify(twice)).toContain('- one\\n- two')
})
