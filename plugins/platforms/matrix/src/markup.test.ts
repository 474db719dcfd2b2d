import type { Block, Inline } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { formatBody } from './markup.ts'

const text = (words: string): Inline => ({ type: 'text', text: words })
const paragraph = (...children: Inline[]): Block => ({ type: 'paragraph', children })

test.each<[string, Block, string]>([
  ['signs of HTML', paragraph(text('a < b & "c"'), { type: 'break' }, text('d')), '<p>a &lt; b &amp; &quot;c&quot;<br/>d</p>'],
  [
    'bold, italic, struck',
    paragraph(
      { type: 'strong', children: [text('b')] },
      { type: 'emphasis', children: [text('i')] },
      { type: 'strike', children: [text('s')] },
    ),
    '<p><strong>b</strong><em>i</em><del>s</del></p>',
  ],
  ['code', paragraph({ type: 'code', text: '<b>' }), '<p><code>&lt;b&gt;</code></p>'],
  ['a block of code', { type: 'code', text: 'a < b', language: 'c++' }, '<pre><code class="language-c++">a &lt; b\n</code></pre>'],
  ['a language that is none', { type: 'code', text: 'x', language: '"><script>' }, '<pre><code>x\n</code></pre>'],
  [
    'a link',
    paragraph({ type: 'link', url: 'https://a.example/?x="1"', children: [text('here')] }),
    '<p><a href="https://a.example/?x=&quot;1&quot;">here</a></p>',
  ],
  ['a link that is none', paragraph({ type: 'link', url: 'javascript:alert(1)', children: [text('here')] }), '<p>here</p>'],
  ['a heading', { type: 'heading', level: 9, children: [text('End')] }, '<h6>End</h6>'],
  [
    'a quote',
    { type: 'quote', children: [paragraph(text('one')), paragraph(text('two'))] },
    '<blockquote><p>one</p><p>two</p></blockquote>',
  ],
  [
    'lists in lists',
    { type: 'list', start: 3, items: [[paragraph(text('a')), { type: 'list', items: [[paragraph(text('b'))]] }]] },
    '<ol start="3"><li><p>a</p><ul><li><p>b</p></li></ul></li></ol>',
  ],
  [
    'a table',
    { type: 'table', head: [[text('Name')]], rows: [[[text('Ann')]]] },
    '<table><thead><tr><th>Name</th></tr></thead><tbody><tr><td>Ann</td></tr></tbody></table>',
  ],
  ['a rule', { type: 'rule' }, '<hr/>'],
])('%s', (_what, block, expected) => {
  expect(formatBody([block], '')).toBe(expected)
})

test('what says no more than the text itself is left out', () => {
  expect(formatBody([paragraph(text('a & b'))], 'a & b')).toBeUndefined()
  expect(formatBody([], 'a')).toBeUndefined()
  expect(formatBody(undefined, 'a')).toBeUndefined()
})
