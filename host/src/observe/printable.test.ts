import { expect, test } from 'vitest'
import { printable, showJson, showLines, showText } from './printable.ts'

test.each([
  ['\u001b[2K\rls', '\\x1b[2K\nls'],
  ['\u001b]52;c;cm0=\u0007', '\\x1b]52;c;cm0=\\x07'],
  ['\u009b2J', '\\x9b2J'],
  ['one\r\ntwo\rthree', 'one\ntwo\nthree'],
  ['\b\b\b\u007f\0', '\\x08\\x08\\x08\\x7f\\x00'],
  ['\u202egnp.exe\u2066', '⟨U+202E⟩gnp.exe⟨U+2066⟩'],
  ['a\u200bb\u2060c\ufeff', 'a⟨U+200B⟩b⟨U+2060⟩c⟨U+FEFF⟩'],
  ['line\u2028break', 'line⟨U+2028⟩break'],
  ['tag\u{e0041}', 'tag⟨U+E0041⟩'],
  ['half \ud800 of one', 'half ⟨U+D800⟩ of one'],
  ['\ttabs and\nlines', '\ttabs and\nlines'],
  ['👩\u200d💻 می\u200cخواهم ﷽ é', '👩\u200d💻 می\u200cخواهم ﷽ é'],
])('%j is shown as %j', (text, shown) => {
  expect(showText(text)).toBe(shown)
})

test('the our own colours lines stay, and no other sequence', () => {
  const lines = '\u001b[31mred\u001b[0m \u001b[8mhidden\u001b[0m \u001b[38;5;0mblack'
  expect(showLines(lines)).toBe('\u001b[31mred\u001b[0m \\x1b[8mhidden\u001b[0m \\x1b[38;5;0mblack')
  expect(showLines('m\r')).toBe('m\n')
})

test('a name is one line', () => {
  expect(printable('\u001b[31mEve\u001b[0m\n\u202eliam\u0007')).toBe('Eveliam')
})

test('a JSON document says the same and steers nothing', () => {
  const value = { text: '\u001b[2J\u009b\u202e\u007f\u{e0041}\u2028 ä', list: ['\ud800'] }
  const shown = showJson(JSON.stringify(value, null, 2))
  expect(JSON.parse(shown)).toEqual(value)
  expect(shown).toMatch(/^[\n\x20-\x7eä]+$/)
})
