import type { Block, Inline } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { findMembers, formatBody, readText } from './markup.ts'

const text = (words: string): Inline => ({ type: 'text', text: words })
const paragraph = (...children: Inline[]): Block => ({ type: 'paragraph', children })

test.each<[string, Block, string]>([
  ['signs that Slack reads', paragraph(text('a < b & <!here> > c')), 'a &lt; b &amp; &lt;!here&gt; &gt; c'],
  [
    'bold, italic, struck',
    paragraph({ type: 'strong', children: [text('b')] }, text(' '), { type: 'emphasis', children: [text('i')] }, text(' '), {
      type: 'strike',
      children: [text('s')],
    }),
    '*b* _i_ ~s~',
  ],
  [
    'bold over a line end, with space at the edge',
    paragraph({ type: 'strong', children: [text('one '), { type: 'break' }, text('two')] }),
    '*one* \n*two*',
  ],
  ['nothing in bold', paragraph({ type: 'strong', children: [text(' ')] }), ' '],
  ['code', paragraph({ type: 'code', text: 'a<b' }), '`a&lt;b`'],
  ['a block of code', { type: 'code', text: 'if (a < b) {}', language: 'ts' }, '```\nif (a &lt; b) {}\n```'],
  [
    'a link',
    paragraph({ type: 'link', url: 'https://example.org/?a=1&b=x|y', children: [text('here | there')] }),
    '<https://example.org/?a=1&amp;b=x%7Cy|here   there>',
  ],
  [
    'a link to itself',
    paragraph({ type: 'link', url: 'https://example.org', children: [text('https://example.org')] }),
    '<https://example.org>',
  ],
  [
    'a heading with bold in it',
    { type: 'heading', level: 2, children: [text('The '), { type: 'strong', children: [text('end')] }] },
    '*The end*',
  ],
  ['a quote', { type: 'quote', children: [paragraph(text('one'), { type: 'break' }, text('two'))] }, '> one\n> two'],
  ['a list', { type: 'list', items: [[paragraph(text('one'))], [paragraph(text('two'))]] }, '• one\n• two'],
  ['a table', { type: 'table', head: [[text('Name')], [text('Age')]], rows: [[[text('Ann')], [text('7')]]] }, '• Name: Ann; Age: 7'],
])('%s', (_what, block, expected) => {
  expect(formatBody([block])).toBe(expected)
})

const names = new Map([['U0BOB', 'Bob']])

test.each([
  ['<@U0BOT> hello', 'hello'],
  ['hello <@U0BOT|agent>, <@U0BOT> you', 'hello , you'],
  ['ask <@U0BOB> or <@U0EVE> or <@U0ZED|zed>', 'ask @Bob or @U0EVE or @zed'],
  ['in <#C1|ops> and <#C2>', 'in #ops and #C2'],
  ['<!here> <!subteam^S1|@team> <!date^1^{date}|today>', '@here @team today'],
  [
    '<https://a.example/x> <https://a.example|a.example> <https://a.example|the page>',
    'https://a.example/x https://a.example [the page](https://a.example)',
  ],
  ['<mailto:ann@a.example|ann@a.example>', 'ann@a.example'],
  ['1 &lt; 2 &amp;&amp; &amp;lt; stays', '1 < 2 && &lt; stays'],
  ['  indented\n  twice', 'indented\n  twice'],
])('%j is read as %j', (given, expected) => {
  expect(readText(given, 'U0BOT', names)).toBe(expected)
})

test('members are found once each', () => {
  expect(findMembers('<@U1> <@W2|two> <@U1> U3 <#C4>')).toEqual(['U1', 'W2'])
})
