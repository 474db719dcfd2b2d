import { expect, test } from 'vitest'
import { decodeText } from './decode-text.ts'

const latin = (text: string): Uint8Array => Buffer.from(text, 'latin1')
const utf8 = (text: string): Uint8Array => Buffer.from(text)

test.each([
  ['the header', latin('caf\xe9'), 'text/html; charset="ISO-8859-1"', 'café'],
  ['a tag of the page', latin('<meta charset=windows-1252>caf\xe9'), 'text/html', '<meta charset=windows-1252>café'],
  ['the older tag', latin('<meta content="text/html; charset=latin1">\xe9'), '', '<meta content="text/html; charset=latin1">é'],
  [
    'the first line of XML',
    latin('<?xml version="1.0" encoding="iso-8859-1"?>\xe9'),
    'text/xml',
    '<?xml version="1.0" encoding="iso-8859-1"?>é',
  ],
  ['the first bytes, before the header', utf8('\ufeffcafé'), 'text/html; charset=iso-8859-1', 'café'],
  ['the first bytes of UTF-16', Uint8Array.of(0xff, 0xfe, 0x68, 0, 0x69, 0), '', 'hi'],
  ['nothing', utf8('café 日本'), 'text/plain', 'café 日本'],
  ['a charset that does not exist', utf8('café'), 'text/html; charset=klingon', 'café'],
  ['Japanese', Uint8Array.of(0x93, 0xfa, 0x96, 0x7b), 'text/html; charset=Shift_JIS', '日本'],
])('%s says how a page is written', (_name, bytes, contentType, text) => {
  expect(decodeText(bytes, contentType)).toBe(text)
})
