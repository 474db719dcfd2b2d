import { type Dialect, plainDialect, renderMarkup } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { parseMarkdown } from './parse-markdown.ts'

/** Shows the tree as tags, so that a test reads like the text. */
const tags: Dialect = {
  escape: (text) => text.replaceAll('<', '&lt;'),
  strong: (text) => `<b>${text}</b>`,
  emphasis: (text) => `<i>${text}</i>`,
  strike: (text) => `<s>${text}</s>`,
  code: (text) => `<c>${text}</c>`,
  link: (text, url) => `<a ${url}>${text}</a>`,
  heading: (text, level) => `<h${level}>${text}</h${level}>`,
  codeBlock: (text, language) => `<pre ${language ?? '-'}>${text}</pre>`,
  quote: (text) => `<q>${text}</q>`,
  bullet: '• ',
  rule: '<hr>',
}
const show = (text: string): string => renderMarkup(parseMarkdown(text), tags)

test.each([
  ['# Title *a*', '<h1>Title <i>a</i></h1>'],
  ['**bold _and_** ~~no~~ `co*d*e`', '<b>bold <i>and</i></b> <s>no</s> <c>co*d*e</c>'],
  ['[text](http://x.test/a_b "t") http://y.test', '<a http://x.test/a_b>text</a> <a http://y.test>http://y.test</a>'],
  ['![alt](http://x.test/i.png)', '<a http://x.test/i.png>alt</a>'],
  ['one\ntwo  \nthree<br>four', 'one\ntwo\nthree\nfour'],
  ['\\*not\\* &lt;b&gt; & <b>x</b>', '*not* &lt;b> & &lt;b>x&lt;/b>'],
  ['a <br /> b <brown> c', 'a \n b &lt;brown> c'],
  ['```ts\nif (a < b) *x*\n```', '<pre ts>if (a < b) *x*</pre>'],
  ['> one\n> two', '<q>one\ntwo</q>'],
  ['- a\n- b\n  - c', '• a\n• b\n   • c'],
  ['3. x\n4. y', '3. x\n4. y'],
  ['- [x] done\n- [ ] open', '• ☑ done\n• ☐ open'],
  ['- [x] done\n\n- [ ] open\n\n  later', '• ☑ done\n• ☐ open\n   later'],
  ['<br>one\n\n<p>two\n', '\none\n\n&lt;p>two'],
  ['| a | b |\n|---|---|\n| 1 | **2** |\n| 3 | |', '• a: 1; b: <b>2</b>\n• a: 3'],
  ['a\n\n---\n\nb', 'a\n\n<hr>\n\nb'],
  ['', ''],
])('%j is %j', (text, shown) => {
  expect(show(text)).toBe(shown)
})

test.each(['**open', '`open', '```\nopen', '[a](', '![', '|a|\n|-', '> > >', '<div', '<br>\nopen', '\u{1F44B}\u200b**\u{1F44B}**'])(
  'what is not finished stays readable: %j',
  (text) => {
    const plain = renderMarkup(parseMarkdown(text), plainDialect)
    expect(plain.replace(/[`*>[\]()|!\-\s]/g, '')).toBe(text.replace(/[`*>[\]()|!\-\s]/g, ''))
  },
)

test.each([100, 20_000])('quotes in quotes stay text where they are %i levels deep', (depth) => {
  const text = `${'> '.repeat(depth)}deep`
  expect(parseMarkdown(text)).toEqual([{ type: 'paragraph', children: [{ type: 'text', text }] }])
  expect(parseMarkdown('> > > shallow')).toMatchObject([{ type: 'quote' }])
})

test('plain text names where a link leads, once', () => {
  const plain = (text: string): string => renderMarkup(parseMarkdown(text), plainDialect)
  expect(plain('See [the page](https://x.test) or https://y.test')).toBe('See the page (https://x.test) or https://y.test')
  expect(plain('## Head\n\n**b** `c`\n\n```sh\nls\n```')).toBe('Head\n\nb c\n\nls')
})
