import type { Block, Inline } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { parseMarkdownV2 } from '../test/markdown-v2.ts'
import { formatMarkdownV2 } from './markup.ts'

const text = (value: string): Inline => ({ type: 'text', text: value })
const paragraph = (...children: readonly Inline[]): Block => ({ type: 'paragraph', children })
const run = (type: 'strong' | 'emphasis' | 'strike', ...children: readonly Inline[]): Inline => ({ type, children })

/** What Telegram makes of it. */
const shown = (...blocks: readonly Block[]) => parseMarkdownV2(formatMarkdownV2(blocks))

test('every sign that means something to Telegram arrives as itself', () => {
  const signs = '_*[]()~`>#+-=|{}.! \\ ok'
  expect(shown(paragraph(text(signs)))).toEqual({ text: signs, entities: [] })
})

test('runs are shown as what they are, in one another too', () => {
  const inner = run('strong', text('b '), run('emphasis', text('i'), run('strike', text('s'))))
  expect(shown(paragraph(text('a '), inner))).toEqual({
    text: 'a b is',
    entities: [
      { type: 'Strikethrough', offset: 5, length: 1 },
      { type: 'Italic', offset: 4, length: 2 },
      { type: 'Bold', offset: 2, length: 4 },
    ],
  })
})

test('code keeps its backticks and backslashes', () => {
  expect(shown(paragraph({ type: 'code', text: 'a`b\\c*' }))).toEqual({
    text: 'a`b\\c*',
    entities: [{ type: 'Code', offset: 0, length: 6 }],
  })
  expect(shown({ type: 'code', text: 'x = "```"\\', language: 'py' })).toEqual({
    text: 'x = "```"\\\n',
    entities: [{ type: 'Pre', offset: 0, length: 11, language: 'py' }],
  })
})

test('a language cannot break out of its line', () => {
  expect(shown({ type: 'code', text: 'x', language: 'c++ `*\n' }).entities).toEqual([
    { type: 'Pre', offset: 0, length: 2, language: 'c++' },
  ])
})

test('links keep their address, whatever is in it', () => {
  const url = 'https://a.test/x_(y)*\\z'
  const link = (children: readonly Inline[]): Block => paragraph({ type: 'link', url, children })
  expect(shown(link([text('here')]))).toEqual({ text: 'here', entities: [{ type: 'TextUrl', offset: 0, length: 4, url }] })
  expect(shown(link([]))).toEqual({ text: url, entities: [] })
  expect(shown(paragraph({ type: 'image', url, alt: 'a [cat]' })).text).toBe('a [cat]')
})

test('bold in bold, and italics after italics, do not end each other', () => {
  const heading: Block = { type: 'heading', level: 2, children: [text('a '), run('strong', text('b')), { type: 'code', text: ' * ' }] }
  expect(shown(heading)).toMatchObject({ text: 'a b * ' })
  expect(shown(paragraph(run('emphasis', text('a')), run('emphasis', text('b'))))).toEqual({
    text: 'ab',
    entities: [
      { type: 'Italic', offset: 0, length: 1 },
      { type: 'Italic', offset: 1, length: 1 },
    ],
  })
  expect(shown(paragraph(run('emphasis', text('a'), run('emphasis', text('b'))))).text).toBe('ab')
  expect(shown(paragraph(run('strong'), { type: 'code', text: '' }, text('x'))).text).toBe('x')
})

test('quotes stand alone: none in a quote, none in a list, no block of code inside', () => {
  const quote: Block = { type: 'quote', children: [paragraph(text('deep'))] }
  expect(shown({ type: 'quote', children: [paragraph(text('> top')), quote, { type: 'code', text: '>a\nb' }] })).toEqual({
    text: '> top\n\ndeep\n\n>a\nb',
    entities: expect.arrayContaining([{ type: 'Blockquote', offset: 0, length: 17 }]),
  })
  expect(shown({ type: 'list', items: [[paragraph(text('x')), quote], [{ type: 'list', start: 3, items: [[quote]] }]] }).text).toBe(
    '• x\n   deep\n• 3. deep',
  )
})

test('a table is one bullet for each row', () => {
  const table: Block = { type: 'table', head: [[text('Name')], [text('Age')]], rows: [[[text('Ann.')], [text('7')]]] }
  expect(shown(table).text).toBe('• Name: Ann.; Age: 7')
})

test('whatever is nested, Telegram takes it', () => {
  const runs: Inline[] = [text('a_b*c'), { type: 'code', text: '`' }, { type: 'break' }, { type: 'link', url: 'x)', children: [text(']')] }]
  for (const outer of ['strong', 'emphasis', 'strike'] as const) {
    for (const inner of ['strong', 'emphasis', 'strike'] as const) {
      const nested = [run(outer, ...runs, run(inner, ...runs), run(inner, ...runs)), run(outer, ...runs)]
      const blocks: Block[] = [paragraph(...nested), { type: 'heading', level: 1, children: nested }]
      for (const block of [...blocks, { type: 'quote', children: blocks } as const, { type: 'list', start: 1, items: [blocks] } as const]) {
        expect(() => shown(block, { type: 'rule' }, block), `${outer} in ${inner} in ${block.type}`).not.toThrow()
      }
    }
  }
})
