import { stripVTControlCharacters } from 'node:util'

/** What steers a terminal, turns the direction of text, breaks lines elsewhere or is not seen at all. Joiners of letters and emoji are none of it. */
const unprintable = String.raw`[\p{Cc}\p{Cs}\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]`
const inText = new RegExp(String.raw`\r\n?|(?![\n\t])${unprintable}`, 'gu')
/** Beside these the styles that the program gives its lines; none of them hides a text. */
const colouredOrNot = new RegExp(String.raw`\u001b\[(?:(?:[0-49]|3[1-6])(?:;(?=\d)|(?=m)))+m|${inText.source}`, 'gu')

/** A text of any origin for a terminal: what cannot be printed is seen by its number, line breaks stay. */
export function showText(text: string): string {
  return text.replace(inText, show)
}

/** The same for lines that commands have coloured. */
export function showLines(text: string): string {
  return text.replace(colouredOrNot, (found) => (found.endsWith('m') && found.length > 1 ? found : show(found)))
}

/** A text on one line, for names and cells: what cannot be printed is left out, since strangers choose their names. */
export function printable(text: string): string {
  return stripVTControlCharacters(text).replaceAll(/\p{C}/gu, '')
}

/** A JSON document that shows as text what its strings hold. */
export function showJson(json: string): string {
  return json.replace(new RegExp(String.raw`(?!\n)${unprintable}`, 'gu'), (found) =>
    [...Array(found.length).keys()].map((at) => `\\u${found.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
  )
}

function show(found: string): string {
  if (found.startsWith('\r')) return '\n'
  const code = found.codePointAt(0) ?? 0
  const hex = code.toString(16)
  return code < 0x100 ? `\\x${hex.padStart(2, '0')}` : `⟨U+${hex.toUpperCase().padStart(4, '0')}⟩`
}
