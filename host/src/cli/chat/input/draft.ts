/** What is being written, and where the cursor stands in it. A long text that was pasted stands in it as one character, its mark. */
export interface Draft {
  readonly text: string
  readonly cursor: number
  /** What the marks stand for: the first mark for the first of them. */
  readonly pastes: readonly string[]
}

/** What a person has finished writing. */
export interface TypedEntry {
  readonly text: string
  /** As it is shown: with words for what was pasted. */
  readonly shown: string
}

export type Unit = 'character' | 'word' | 'line'
export type Direction = -1 | 1

export const emptyDraft: Draft = { text: '', cursor: 0, pastes: [] }

/** Characters that no text can have: Unicode keeps them for what programs do among themselves. */
const firstMark = 0xfdd0
const mostMarks = 32
const marks = /[\ufdd0-\ufdef]/g
/** A paste that has more of either is shown as a mark. */
const longPaste = { lines: 8, characters: 1_000 }

/** The text as it is sent. */
export function expand({ text, pastes }: Draft): string {
  return text.replace(marks, (mark) => pastes[mark.charCodeAt(0) - firstMark] ?? '')
}

/** What people see of a mark; undefined for any other character. */
export function describeMark(pastes: readonly string[], character: string): string | undefined {
  const pasted = pastes[character.charCodeAt(0) - firstMark]
  if (pasted === undefined) return undefined
  const lines = pasted.replace(/\n$/, '').split('\n').length
  const size = lines > 1 ? `${lines.toLocaleString('en-US')} lines` : `${pasted.length.toLocaleString('en-US')} characters`
  return `[pasted ${size}]`
}

/** The text with its marks in words. */
export function describe({ text, pastes }: Draft): string {
  return text.replace(marks, (mark) => describeMark(pastes, mark) ?? '')
}

export function insert(draft: Draft, text: string): Draft {
  return put(draft, clean(text))
}

/** Puts in what was pasted: a long text as a mark. */
export function paste(draft: Draft, text: string): Draft {
  const pasted = clean(text)
  const isLong = pasted.length > longPaste.characters || count(pasted, '\n') >= longPaste.lines
  if (!isLong || draft.pastes.length >= mostMarks) return put(draft, pasted)
  const mark = String.fromCharCode(firstMark + draft.pastes.length)
  return put({ ...draft, pastes: [...draft.pastes, pasted] }, mark)
}

/** A draft of an earlier text, with the cursor at its end. */
export function draftOf(text: string): Draft {
  return paste(emptyDraft, text)
}

function put({ text, cursor, pastes }: Draft, more: string): Draft {
  return { text: text.slice(0, cursor) + more + text.slice(cursor), cursor: cursor + more.length, pastes }
}

function clean(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replace(marks, '')
}

function count(text: string, character: string): number {
  let found = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) found++
  return found
}

export function move(draft: Draft, direction: Direction, unit: Unit): Draft {
  return { ...draft, cursor: stepOf(draft, direction, unit) }
}

/** Removes from the cursor to where `move` would go; the removed text can be put in again. */
export function erase(draft: Draft, direction: Direction, unit: Unit): { readonly draft: Draft; readonly erased: string } {
  const { text, cursor } = draft
  const other = stepOf(draft, direction, unit)
  // At the end of a line the line break goes.
  const target = other === cursor && unit === 'line' ? stepOf(draft, direction, 'character') : other
  const [from, to] = target < cursor ? [target, cursor] : [cursor, target]
  return { draft: { ...draft, text: text.slice(0, from) + text.slice(to), cursor: from }, erased: text.slice(from, to) }
}

function stepOf(draft: Draft, direction: Direction, unit: Unit): number {
  if (unit === 'character') return characterStep(draft, direction)
  return unit === 'word' ? wordStep(draft, direction) : lineStep(draft, direction)
}

function lineStep({ text, cursor }: Draft, direction: Direction): number {
  if (direction < 0) return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1
  const end = text.indexOf('\n', cursor)
  return end < 0 ? text.length : end
}

/** What a person takes for one character may be several. */
function characterStep({ text, cursor }: Draft, direction: Direction): number {
  if (direction > 0) {
    const [next] = new Intl.Segmenter().segment(text.slice(cursor, cursor + longestCharacter))
    return cursor + (next?.segment.length ?? 0)
  }
  const from = Math.max(0, cursor - longestCharacter)
  const last = [...new Intl.Segmenter().segment(text.slice(from, cursor))].at(-1)
  return cursor - (last?.segment.length ?? 0)
}

const longestCharacter = 64

function wordStep({ text, cursor }: Draft, direction: Direction): number {
  if (direction > 0) return cursor + (/^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(cursor))?.[0].length ?? 0)
  return cursor - (/[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(text.slice(0, cursor))?.[0].length ?? 0)
}
