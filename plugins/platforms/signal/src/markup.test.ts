import type { Block, Inline } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { formatStyled } from './markup.ts'

const text = (value: string): Inline => ({ type: 'text', text: value })
const paragraph = (...children: readonly Inline[]): Block => ({ type: 'paragraph', children })
const run = (type: 'strong' | 'emphasis' | 'strike', ...children: readonly Inline[]): Inline => ({ type, children })

/** What people see of each style. */
function shown(...blocks: readonly Block[]) {
  const { text: whole, styles } = formatStyled(blocks)
  const parts = styles.map((style) => {
    const [start = 0, length = 0] = style.split(':').map(Number)
    return [style.split(':')[2], whole.slice(start, start + length)]
  })
  return { text: whole, parts }
}

test('ranges count UTF-16 units', () => {
  expect(formatStyled([paragraph(text('😀 '), run('strong', text('b😀')))])).toEqual({ text: '😀 b😀', styles: ['3:3:BOLD'] })
})

test('styles stand in one another, and the same in itself only once', () => {
  expect(shown(paragraph(run('strong', text('a'), run('emphasis', run('strike', text('b'))), run('strong', text('c')))))).toEqual({
    text: 'abc',
    parts: [
      ['STRIKETHROUGH', 'b'],
      ['ITALIC', 'b'],
      ['BOLD', 'abc'],
    ],
  })
})

test('signs of ours in a text mean nothing', () => {
  expect(shown(paragraph(text('a\ue000b\ue001'), { type: 'code', text: '\ue006x' }), { type: 'code', text: '\ue001y' })).toEqual({
    text: 'abx\n\ny',
    parts: [
      ['MONOSPACE', 'x'],
      ['MONOSPACE', 'y'],
    ],
  })
})

test('what is empty has no style', () => {
  expect(formatStyled([paragraph(run('strong'), { type: 'code', text: '' }, run('emphasis', text('')), text('x'))])).toEqual({
    text: 'x',
    styles: [],
  })
})

test('headings, quotes, lists, links and tables are lines that can be read', () => {
  const cell = (value: string): Inline[] => [text(value)]
  const blocks: Block[] = [
    { type: 'heading', level: 1, children: [text('Plan')] },
    { type: 'quote', children: [paragraph(run('emphasis', text('one')), { type: 'break' }, text('two'))] },
    { type: 'list', items: [[paragraph({ type: 'link', url: 'https://a.test', children: [text('here')] })]] },
    { type: 'list', start: 2, items: [[paragraph({ type: 'link', url: 'https://a.test', children: [text('https://a.test')] })]] },
    { type: 'table', head: [cell('Name')], rows: [[cell('Ann')]] },
  ]
  expect(shown(...blocks)).toEqual({
    text: 'Plan\n\n> one\n> two\n\n• here (https://a.test)\n\n2. https://a.test\n\n• Name: Ann',
    parts: [
      ['BOLD', 'Plan'],
      ['ITALIC', 'one'],
    ],
  })
})
