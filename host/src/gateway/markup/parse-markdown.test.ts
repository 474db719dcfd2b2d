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
const show = async (text: string): Promise<string> => renderMarkup(await parseMarkdown(text), tags)

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
])('%j is %j', async (text, shown) => {
  expect(await show(text)).toBe(shown)
})

test.each(['**open', '`open', '```\nopen', '[a](', '![', '|a|\n|-', '> > >', '<div', '<br>\nopen', '\u{1F44B}\u200b**\u{1F44B}**'])(
  'what is not finished stays readable: %j',
  async (text) => {
    const plain = renderMarkup(await parseMarkdown(text), plainDialect)
    expect(plain.replace(/[`*>[\]()|!\-\s]/g, '')).toBe(text.replace(/[`*>[\]()|!\-\s]/g, ''))
  },
)

test.each([100, 20_000])('quotes in quotes stay text where they are %i levels deep', async (depth) => {
  const text = `${'> '.repeat(depth)}deep`
  expect(await parseMarkdown(text)).toEqual([{ type: 'paragraph', children: [{ type: 'text', text }] }])
  expect(await parseMarkdown('> > > shallow')).toMatchObject([{ type: 'quote' }])
})

test('plain text names where a link leads, once', async () => {
  const plain = async (text: string): Promise<string> => renderMarkup(await parseMarkdown(text), plainDialect)
  expect(await plain('See [the page](https://x.test) or https://y.test')).toBe('See the page (https://x.test) or https://y.test')
  expect(await plain('## Head\n\n**b** `c`\n\n```sh\nls\n```')).toBe('Head\n\nb c\n\nls')
})

test('a rule of many signs is a rule, however they are spaced', async () => {
  expect(await parseMarkdown(`a\n\n${'- '.repeat(40)}\n\n${'*'.repeat(80)}`)).toMatchObject([
    { type: 'paragraph' },
    { type: 'rule' },
    { type: 'rule' },
  ])
})

// Work that grows with the square of the length would take a minute.
test.each(['$a_b$', 'http://a.example/(', '- ', '[a](b', '**a', '> a\n'])(
  'a text of 200,000 characters is read: %j again and again',
  async (sign) => {
    expect(await parseMarkdown(`${sign.repeat(200_000 / sign.length)}a`)).not.toHaveLength(0)
  },
)

test('a long text keeps all its words and its code, and others have their turn meanwhile', async () => {
  const text = Array.from({ length: 900 }, (_, index) => `word **strong${index}** \`code${index}\``).join('\n')
  let turns = 0
  const counting = setInterval(() => turns++)
  const blocks = await parseMarkdown(`${text}\n\n\`\`\`\n${'line\n'.repeat(3_000)}\`\`\`\n\n**end**`)
  clearInterval(counting)
  const shown = renderMarkup(blocks, plainDialect)
  expect(turns).toBeGreaterThan(0)
  expect([shown.match(/strong\d+ code\d+/g)?.length, shown.match(/line/g)?.length, shown.endsWith('end')]).toEqual([900, 3_000, true])
})
