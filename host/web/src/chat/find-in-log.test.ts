import { expect, test } from 'vitest'
import { findInLog } from './find-in-log.ts'
import type { Bubble } from './log.ts'

const bubbles: readonly Bubble[] = [
  { kind: 'user', key: '1', text: 'Read the Parser', ordinal: 0, files: [{ name: 'Notes.md', kind: 'text' }] },
  {
    ...{ kind: 'assistant', key: '2', model: 'm' },
    parts: [
      { kind: 'reasoning', key: 'a', text: 'hidden thought' },
      { kind: 'tool', key: 'b', name: 'terminal', args: { command: 'secret args' }, preview: 'npm test', progress: '' },
      { kind: 'text', key: 'c', text: 'The parser is fine.' },
    ],
  },
]

test.each([
  ['parser', [0, 1]],
  [' NOTES ', [0]],
  ['terminal npm', [1]],
  ['hidden', []],
  ['secret', []],
  ['  ', []],
])('"%s" is found where a reader sees it', (words, expected) => {
  expect(findInLog(bubbles, words)).toEqual(expected)
})
