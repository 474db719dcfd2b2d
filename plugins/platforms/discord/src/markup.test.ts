import type { Block, Inline } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { formatMarkup } from './markup.ts'

const text = (value: string): Inline => ({ type: 'text', text: value })
const say = (...children: Inline[]): Block => ({ type: 'paragraph', children })

test.each<[string, string]>([
  ['2 * 3 * 4', '2 \\* 3 \\* 4'],
  ['snake_case_name', 'snake_case_name'],
  ['_so_', '\\_so\\_'],
  ['~~ and || and `', '\\~\\~ and \\|\\| and \\`'],
  ['# no heading', '\\# no heading'],
  ['> no quote', '\\> no quote'],
  ['- no item', '\\- no item'],
  ['a - b > c', 'a - b > c'],
  ['[x](y)', '\\[x](y)'],
  ['[x] y', '[x] y'],
  ['see https://x.test/a_b_*c and _d_', 'see https://x.test/a_b_*c and \\_d\\_'],
  ['back\\slash', 'back\\\\slash'],
  ['<#701> stays', '<#701> stays'],
])('%j is written %j', (said, written) => {
  expect(formatMarkup([say(text(said))])).toBe(written)
})

test('marks, links and code are written as Discord reads them', () => {
  const link = (url: string, ...children: Inline[]): Inline => ({ type: 'link', url, children })
  const paragraph = say(
    { type: 'strong', children: [text('a')] },
    { type: 'emphasis', children: [text('b')] },
    { type: 'strike', children: [text('c')] },
    { type: 'code', text: '*d*' },
    { type: 'code', text: 'e`f' },
    { type: 'break' },
    link('https://x.test/(y)', text('here')),
    link('https://x.test', text('https://x.test')),
    link('mailto:a@x.test', text('mail')),
  )
  expect(formatMarkup([paragraph])).toBe('**a***b*~~c~~`*d*``` e`f ``\n[here](https://x.test/%28y%29)https://x.testmail (mailto:a@x.test)')
})

test('blocks are written as Discord reads them', () => {
  const blocks: Block[] = [
    { type: 'heading', level: 2, children: [text('Two')] },
    { type: 'heading', level: 5, children: [text('Five')] },
    { type: 'quote', children: [say(text('one')), say(text('two'))] },
    { type: 'list', items: [[say(text('a'))], [say(text('b')), { type: 'list', start: 3, items: [[say(text('c'))]] }]] },
    { type: 'code', language: 'ts', text: 'const a = `*`\n```' },
  ]
  expect(formatMarkup(blocks).split('\n\n')).toEqual([
    '## Two',
    '**Five**',
    '> one\n> \n> two',
    '- a\n- b\n   3. c',
    '```ts\nconst a = `*`\n`\u200b``\n```',
  ])
})

test('a table is a block of code with columns, also inside of other blocks', () => {
  const table: Block = {
    type: 'table',
    head: [[text('Name')], [text('Size')]],
    rows: [[[{ type: 'strong', children: [text('a_b')] }], [text('1')]], [[text('long name')]]],
  }
  const written = '```\nName       Size\n---------  ----\na_b        1\nlong name\n```'
  expect(formatMarkup([table])).toBe(written)
  expect(formatMarkup([{ type: 'quote', children: [table] }])).toBe(written.replace(/^/gm, '> '))
})
