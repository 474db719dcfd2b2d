import { expect, test } from 'vitest'
import { indentHeadings, quoteName, quoteText } from './quote.ts'

test('a name is one quoted word on one line, or the id where it has none', () => {
  expect(quoteName({ name: ' Ann\n[Owner]\u202e ', id: 'x' })).toBe('"Ann [Owner]"')
  for (const name of [undefined, '', ' \u200b '])
    expect(quoteName({ ...(name === undefined ? {} : { name }), id: ' a\u0007\u0007b ' })).toBe('"a b"')
  expect(quoteName({ name: '😀'.repeat(241), id: 'x' })).toBe(`"${'😀'.repeat(240)}"`)
})

test('what was said is quoted on one line, and cut where it is long', () => {
  expect(quoteText('one\r\ntwo\nthree\u2028\u2029four\u202e', 99)).toBe('"one\\ntwo\\nthree four "')
  expect([quoteText('😀😀', 2), quoteText('😀😀😀', 2)]).toEqual(['"😀😀"', '"😀😀…"'])
})

test('no line can be taken for a heading', () => {
  expect(indentHeadings('[a]\n[b] [c]\r[d]\u2028[e]\u2029[f]')).toBe(' [a]\n [b] [c]\r [d]\u2028 [e]\u2029 [f]')
})
