import stringWidth from 'fast-string-width'
import type { Line, Run } from './style.ts'

/** Columns that a text takes. */
function widthOf(text: string): number {
  return isPlain(text) ? text.length : stringWidth(text)
}

function isPlain(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + widthOf(text), 0)
}

export interface WrapOptions {
  readonly width: number
  /** Words that are wider than a line: broken, or left for the terminal to break, which copies them whole. */
  readonly longWords: 'break' | 'leave'
}

/** Letters between which a line may end, as in Chinese and Japanese. */
const free = /[\u2e80-\u2fff\u3001-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uff60]|[\u{20000}-\u{3fffd}]/u
/** What never begins a line. */
const closing = /^[\u3001\u3002\u3009\u300b\u300d\u300f\u3011\u3015\u30fb\u30fc\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f\uff5d]/u
const pieces = /\n|[ \t]+|[^\s\u00a0]+|[^\S\n \t]+|\u00a0/g

interface Wrapping {
  readonly options: WrapOptions
  readonly lines: Run[][]
  width: number
  /** The word that is being read, which may have several styles, and the space before it. */
  word: Run[]
  wordWidth: number
  space: Run | undefined
}

/** Breaks a text into lines between words, and where it has a line break. */
export function wrap(runs: Line, options: WrapOptions): readonly Line[] {
  const state: Wrapping = { options, lines: [[]], width: 0, word: [], wordWidth: 0, space: undefined }
  for (const { text, style } of runs) {
    for (const piece of text.match(pieces) ?? []) {
      if (piece === '\n') {
        endWord(state)
        newLine(state)
      } else if (/^[ \t]/.test(piece)) {
        endWord(state)
        state.space = { text: piece.replaceAll('\t', ' '), style }
      } else for (const part of partsOf(piece)) addToWord(state, part, style)
    }
  }
  endWord(state)
  return state.lines
}

/** A piece without spaces, in parts between which a line may end. */
function partsOf(piece: string): readonly string[] {
  if (!free.test(piece)) return [piece]
  const parts: string[] = []
  for (const character of piece) {
    const last = parts.at(-1)
    if (last === undefined || (free.test(character) && !closing.test(character))) parts.push(character)
    else if (free.test(last.slice(-1)) && !free.test(character)) parts.push(character)
    else parts[parts.length - 1] = last + character
  }
  return parts
}

function addToWord(state: Wrapping, text: string, style: string): void {
  if (free.test(text)) endWord(state)
  else if (state.word.some((each) => free.test(each.text))) endWord(state)
  state.word.push({ text, style })
  state.wordWidth += widthOf(text)
}

function endWord(state: Wrapping): void {
  const { word, wordWidth, space, options } = state
  if (word.length === 0) return
  const gap = state.width > 0 && space ? widthOf(space.text) : 0
  if (state.width > 0 && state.width + gap + wordWidth > options.width) newLine(state)
  else if (gap > 0 && space) put(state, space)
  state.word = []
  state.wordWidth = 0
  state.space = undefined
  for (const part of word) {
    if (wordWidth > options.width && options.longWords === 'break') breakWord(state, part)
    else put(state, part)
  }
}

function breakWord(state: Wrapping, { text, style }: Run): void {
  const { width } = state.options
  for (let rest = text; rest !== ''; ) {
    if (state.width >= width) newLine(state)
    const part = startThatFits(rest, width - state.width)
    if (part === '' && state.width > 0) newLine(state)
    else {
      // What is wider than the screen is there all the same.
      const taken = part === '' ? firstCharacter(rest) : part
      put(state, { text: taken, style })
      rest = rest.slice(taken.length)
    }
  }
}

const segmenter = new Intl.Segmenter()

/** As much of a text as has room. */
function startThatFits(text: string, room: number): string {
  const start = text.slice(0, room)
  if (isPlain(start)) return start
  let width = 0
  for (const { segment, index } of segmenter.segment(text)) {
    width += widthOf(segment)
    if (width > room) return text.slice(0, index)
  }
  return text
}

function firstCharacter(text: string): string {
  const [first] = segmenter.segment(text)
  return first?.segment ?? text
}

function put(state: Wrapping, { text, style }: Run): void {
  const line = state.lines.at(-1)
  const last = line?.at(-1)
  if (line && last?.style === style) line[line.length - 1] = { text: last.text + text, style }
  else line?.push({ text, style })
  state.width += widthOf(text)
}

function newLine(state: Wrapping): void {
  state.lines.push([])
  state.width = 0
  state.space = undefined
}

/** A line in parts that fit the screen. */
export function foldLine(line: Line, width: number): readonly Line[] {
  if (lineWidth(line) <= width) return [line]
  const state: Wrapping = { options: { width, longWords: 'break' }, lines: [[]], width: 0, word: [], wordWidth: 0, space: undefined }
  for (const part of line) breakWord(state, part)
  return state.lines
}

/** A line that has to be one: what is too long loses its end. */
export function cutLine(line: Line, width: number): Line {
  if (lineWidth(line) <= width) return line
  const [first = []] = foldLine(line, width - 1)
  return [...first, { text: '…', style: first.at(-1)?.style ?? '' }]
}
