import { expect, test } from 'vitest'
import { type Blow, findFalse } from './judge-unknown.ts'
import type { UnknownPart } from './read-unknown.ts'

const part = (more: Partial<UnknownPart> = {}): UnknownPart => ({
  ...{ platform: 'chat', key: 'k', tried: 100, settled: 200, edits: 0, marked: 1 },
  ...more,
})
const blow = { platform: 'chat', at: 150 }

function judge(unknown: readonly UnknownPart[], blows: readonly Blow[] = [blow]): readonly string[] {
  return findFalse({ unknown, blows, asked: new Set(['told']) })
}

test('a part that a blow explains, and of which its conversation was told, is right', () => {
  expect(judge([part()])).toEqual([])
  expect(judge([part(), part({ settled: 300 })], [blow, { ...blow, at: 160 }])).toEqual([])
})

test.each([
  ['its platform could be asked', part({ platform: 'told' }), { platform: 'told', at: 150 }],
  ['it could be edited again', part({ edits: 1 }), blow],
  ['nothing happened while it was sent', part({ tried: 1160, settled: 2000 }), blow],
  ['nothing happened while it was sent', part(), { platform: 'other', at: 150 }],
  ['nobody was told', part({ marked: 0 }), blow],
])('%s: then it is false', (why, unknown, happened) => {
  expect(judge([unknown], [happened])).toEqual([`${unknown.platform}: k is unknown, and ${why}.`])
})

test('a blow that waits for the next send explains what was sent long after it', () => {
  const late = part({ tried: 5000, settled: 6000 })
  expect(judge([late], [{ ...blow, waits: true }])).toEqual([])
  expect(judge([late, late], [{ ...blow, waits: true }])).toHaveLength(1)
})

test('one blow explains one part', () => {
  expect(judge([part(), part({ key: 'l' })])).toEqual(['chat: l is unknown, and nothing happened while it was sent.'])
})
