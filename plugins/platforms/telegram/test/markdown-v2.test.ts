import { expect, test } from 'vitest'
import { parseMarkdownV2 } from './markdown-v2.ts'

test('the example of the vendor', () => {
  const source = '*bold _italic bold ~italic bold strikethrough ||spoiler||~ __underline italic bold___ bold*'
  expect(parseMarkdownV2(source)).toMatchObject({
    text: 'bold italic bold italic bold strikethrough spoiler underline italic bold bold',
    entities: [{ type: 'Spoiler' }, { type: 'Strikethrough' }, { type: 'Underline' }, { type: 'Italic' }, { type: 'Bold' }],
  })
})

test.each([...'*_[]()~`>#+-=|{}.!'].filter((sign) => !'*_[~`'.includes(sign)))('a bare %s in a line is refused', (sign) => {
  expect(() => parseMarkdownV2(`a${sign}b`)).toThrow(`Character '${sign}' is reserved`)
  expect(parseMarkdownV2(`a\\${sign}b`).text).toBe(`a${sign}b`)
})

test.each(['*a', '_a', '__a_', '~a', '`a', '```a', '[a', '[a](b', '*a _b* c_'])('%j has no end', (source) => {
  expect(() => parseMarkdownV2(source)).toThrow(/find end/)
})

test.each(['[a]', '[a] (b)', '*a\n>b*'])('%j is refused', (source) => {
  expect(() => parseMarkdownV2(source)).toThrow("can't parse entities")
})

test('a quote ends with the first line without its sign', () => {
  expect(parseMarkdownV2('>a\n>b\nc')).toEqual({ text: 'a\nb\nc', entities: [{ type: 'Blockquote', offset: 0, length: 3 }] })
})
