import { expect, test } from 'vitest'
import { type Block, type Dialect, type Inline, plainDialect, prefixLines, renderInline, renderMarkup } from './markup.ts'

const text = (value: string): Inline => ({ type: 'text', text: value })
const paragraph = (...children: readonly Inline[]): Block => ({ type: 'paragraph', children })
const list = (items: readonly (readonly Block[])[], start?: number): Block => ({
  type: 'list',
  items,
  ...(start === undefined ? {} : { start }),
})

/** Shows each call, so that nesting and escaping can be seen. */
const loud: Dialect = {
  escape: (value) => value.replace(/[*_]/g, '\\$&'),
  strong: (value) => `*${value}*`,
  emphasis: (value) => `_${value}_`,
  strike: (value) => `~${value}~`,
  code: (value) => `\`${value}\``,
  link: (value, url) => `[${value}](${url})`,
  heading: (value, level) => `${'#'.repeat(level)} ${value}`,
  codeBlock: (value, language) => `<${language ?? ''}>${value}</>`,
  quote: (value) => prefixLines(value, '> '),
  bullet: '• ',
}

test('runs are written inside out, and only text is escaped', () => {
  const runs: readonly Inline[] = [
    text('a*b '),
    { type: 'strong', children: [text('c_'), { type: 'emphasis', children: [text('d')] }] },
    { type: 'strike', children: [{ type: 'code', text: 'e*f' }] },
    { type: 'break' },
    { type: 'link', url: 'https://x.example/_a_', children: [text('g_')] },
    { type: 'image', url: 'https://x.example/i.png', alt: 'h*' },
  ]
  expect(renderInline(runs, loud)).toBe('a\\*b *c\\__d_*~`e*f`~\n[g\\_](https://x.example/_a_)[h\\*](https://x.example/i.png)')
  expect(renderInline(runs, { ...loud, lineBreak: '<br>' })).toContain('~<br>[')
})

test('blocks stand apart, with the gap of the dialect', () => {
  const blocks: readonly Block[] = [
    { type: 'heading', level: 2, children: [text('Title')] },
    paragraph(text('one')),
    { type: 'code', text: 'a*b', language: 'ts' },
    { type: 'code', text: 'c' },
    { type: 'quote', children: [paragraph(text('said')), list([[paragraph(text('too'))]])] },
    { type: 'rule' },
  ]
  expect(renderMarkup(blocks, loud)).toBe('## Title\n\none\n\n<ts>a*b</>\n\n<>c</>\n\n> said\n> \n> • too\n\n———')
  const html = { ...loud, gap: '', paragraph: (value: string) => `<p>${value}</p>`, rule: '<hr>' }
  expect(renderMarkup([paragraph(text('one')), { type: 'rule' }], html)).toBe('<p>one</p><hr>')
})

test('lists are lines; what is nested is moved in, and numbers begin where they should', () => {
  const nested = list([[paragraph(text('a')), list([[paragraph(text('b'))], [paragraph(text('c'))]])], [paragraph(text('d'))]])
  expect(renderMarkup([nested], loud)).toBe('• a\n   • b\n   • c\n• d')
  expect(renderMarkup([list([[paragraph(text('x'))], [paragraph(text('y'))]], 9)], loud)).toBe('9. x\n10. y')
  expect(renderMarkup([list([])], loud)).toBe('')
})

test('a dialect may have its own way for lists and tables', () => {
  const own: Dialect = {
    ...loud,
    gap: '|',
    list: (items, start) => `<ol ${start ?? '-'}>${items.join(',')}</ol>`,
    table: (head, rows) => JSON.stringify([head, rows]),
  }
  expect(renderMarkup([list([[paragraph(text('a')), paragraph(text('b'))], []], 3)], own)).toBe('<ol 3>a|b,</ol>')
  expect(renderMarkup([{ type: 'table', head: [[text('h')]], rows: [[[text('_')]]] }], own)).toBe('[["h"],[["\\\\_"]]]')
})

test('a table is one line for each row, with its titles', () => {
  const head = [[text('Name')], [text('Age')], []]
  const rows = [
    [[text('Ann')], [text('7')], [text('left-handed')]],
    [[text('Bob')], [], []],
    [[text('Cem')], [text('9')], [], [text('extra')]],
  ]
  expect(renderMarkup([{ type: 'table', head, rows }], loud)).toBe(
    '• Name: Ann; Age: 7; left-handed\n• Name: Bob\n• Name: Cem; Age: 9; extra',
  )
  expect(renderMarkup([{ type: 'table', head, rows: [] }], loud)).toBe('• Name; Age')
})

test('plain text keeps the words, and names an address once', () => {
  const link = (url: string, ...children: readonly Inline[]): Inline => ({ type: 'link', url, children })
  const blocks: readonly Block[] = [
    { type: 'heading', level: 1, children: [text('*T*')] },
    paragraph(
      link('https://a.example', text('here')),
      text(' '),
      link('https://b.example', text('https://b.example')),
      text(' '),
      link('https://c.example'),
    ),
    { type: 'quote', children: [paragraph(text('q1'), { type: 'break' }, { type: 'strong', children: [text('q2')] })] },
    { type: 'code', text: 'x = 1', language: 'ts' },
  ]
  expect(renderMarkup(blocks, plainDialect)).toBe(
    '*T*\n\nhere (https://a.example) https://b.example https://c.example\n\n> q1\n> q2\n\nx = 1',
  )
  expect(renderMarkup([], plainDialect)).toBe('')
})
