import { expect, test } from 'vitest'
import { isSafeLink, noBlocks, readBlocks } from './blocks.ts'

const text = `# Title

A paragraph with **strong** words.

- one
- two

\`\`\`js
const a = 1
\`\`\`

| a | b |
|---|---|
| 1 | 2 |

The end.`

const types = ({ closed, open }: ReturnType<typeof readBlocks>) =>
  [...closed, ...open].map(({ type }) => type).filter((type) => type !== 'space')

test('a text that grows by letters is read into the same blocks as the whole', () => {
  let blocks = noBlocks
  for (let length = 1; length <= text.length; length++) blocks = readBlocks(blocks, text.slice(0, length))
  expect(types(blocks)).toEqual(['heading', 'paragraph', 'list', 'code', 'table', 'paragraph'])
  expect(
    blocks.closed
      .concat(blocks.open)
      .map(({ raw }) => raw)
      .join(''),
  ).toBe(text)
})

test('closed blocks stay the same objects while the text goes on', () => {
  const before = readBlocks(noBlocks, 'one\n\ntwo\n\nthr')
  const after = readBlocks(before, 'one\n\ntwo\n\nthree')
  expect(after.closed[0]).toBe(before.closed[0])
  expect(after.at).toBeGreaterThan(0)
})

test('another text begins again', () => {
  expect(readBlocks(readBlocks(noBlocks, 'one\n\ntwo'), 'three').closed).toEqual([])
})

test.each(['https://a.b', 'http://a', 'mailto:a@b.c', '#/status', '/x'])('%s may be opened', (href) => {
  expect(isSafeLink(href)).toBe(true)
})

test.each(['javascript:alert(1)', ' javascript:x', 'data:text/html,x', '//evil.example', 'vbscript:x', 'file:///etc'])(
  '%s may not',
  (href) => {
    expect(isSafeLink(href)).toBe(false)
  },
)
