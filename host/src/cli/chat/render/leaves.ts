import { showText } from '#observe/printable.ts'
import { colourLine } from './code-colours.ts'
import { closeMarks, isSettled, readInline } from './inline.ts'
import { dim, emit, type Leaf, type Page, roomFor } from './page.ts'
import { type Line, run, type Style } from './style.ts'
import { type Align, cellOf, headCell, layOutTable, splitCells, tableGap, tableHead, tableRows } from './table.ts'
import { wrap } from './wrap.ts'

type Paragraph = Extract<Leaf, { type: 'paragraph' }>
type Code = Extract<Leaf, { type: 'code' }>
type Table = Extract<Leaf, { type: 'table' }>

/** A paragraph of this length is finished up to here as soon as its marks allow it; of the second length it is in any case. */
const longParagraph = 120
const longestParagraph = 1_200
/** A table with so many rows gets its widths from them. */
const longTable = 40
const longCodeLine = 4_000

/** Adds a line to the paragraph that is open, or begins one. The lines before it are finished once their marks allow it. */
export function addLine(page: Page, text: string): void {
  const open = page.leaf
  if (open?.type !== 'paragraph') page.leaf = { type: 'paragraph', text, carry: [], style: page.style, isSingle: false }
  else {
    const before = { ...open, text: open.text.replace(/\\$/, '') }
    const isFinished = isReady(before.text)
    if (isFinished) emit(page, layOutParagraph(page, before))
    page.leaf = isFinished ? { ...open, text, carry: [] } : { ...before, text: `${before.text}\n${text}` }
  }
}

/** Adds more of the same line. */
export function addPiece(page: Page, piece: string): void {
  const open = page.leaf
  if (open?.type !== 'paragraph') {
    addLine(page, piece)
    return
  }
  const text = open.text + piece
  if (text.length < longParagraph || !isReady(text)) {
    page.leaf = { ...open, text }
    return
  }
  const lines = layOutParagraph(page, { ...open, text })
  if (lines.length > 1) emit(page, lines.slice(0, -1))
  page.leaf = { ...open, text: '', carry: lines.at(-1) ?? [] }
}

function isReady(text: string): boolean {
  return text.length > longestParagraph || isSettled(text)
}

/** Begins a paragraph of one line, such as a heading. */
export function openSingle(page: Page, text: string, style: Style): void {
  closeLeaf(page)
  page.leaf = { type: 'paragraph', text, carry: [], style, isSingle: true }
}

function layOutParagraph(page: Page, { text, carry, style }: Paragraph): readonly Line[] {
  const shown = page.isDraft ? closeMarks(text) : text
  return wrapToRoom(page, [...carry, ...readInline(shown, { style, colour: page.colour })])
}

function wrapToRoom(page: Page, line: Line): readonly Line[] {
  return wrap(line, { width: roomFor(page), longWords: 'leave' })
}

/** Takes more of a line of code, and its end. */
export function addCode(page: Page, code: Code, text: string, isEnd: boolean): void {
  const line = code.line + text
  if (!isEnd && line.length < longCodeLine) {
    page.leaf = { ...code, line }
    return
  }
  const { runs, inside } = colourLine(code.colours, code.inside, showText(line.replaceAll('\t', '    ')))
  emit(page, [runs])
  page.leaf = { ...code, line: '', inside }
}

export function openTable(page: Page, head: string, align: readonly Align[]): void {
  const cells = splitCells(head).map((cell) => headCell(readCell(page, cell)))
  page.leaf = { type: 'table', head: { cells }, align, rows: [] }
}

export function addRow(page: Page, table: Table, line: string): void {
  const rows = [...table.rows, { cells: splitCells(line).map((cell) => cellOf(readCell(page, cell))) }]
  page.leaf = { ...table, rows }
  if (table.layout || rows.length >= longTable) page.leaf = emitTable(page, { ...table, rows })
}

function readCell(page: Page, cell: string): Line {
  return readInline(cell, { style: page.style, colour: page.colour })
}

/** Finishes the rows that are known. */
function emitTable(page: Page, table: Table): Table {
  const { rowMemory } = page
  const layout = table.layout ?? layOutTable(table, roomFor(page), rowMemory)
  const before = table.layout ? (table.rows.length > 0 ? tableGap(layout) : []) : tableHead(table, layout, rowMemory)
  const lines = [...before, ...tableRows(table, layout, rowMemory)]
  if (lines.length > 0) emit(page, layout.widths.length > 0 ? lines : lines.flatMap((line) => wrapToRoom(page, line)))
  return { ...table, layout, rows: [] }
}

/** Finishes the block that is open. */
export function closeLeaf(page: Page): void {
  const { leaf } = page
  if (leaf?.type === 'paragraph' && (leaf.text !== '' || leaf.carry.length > 0)) emit(page, layOutParagraph(page, leaf))
  if (leaf?.type === 'table') emitTable(page, leaf)
  if (leaf?.type === 'code') closeCode(page, leaf)
  page.leaf = undefined
}

function closeCode(page: Page, code: Code): void {
  if (code.line !== '') addCode(page, code, '', true)
  if (code.fence && !page.isDraft) emit(page, [dim('──', page)])
}

export function openCode(page: Page, fence: Code['fence'], colours: Code['colours'], language: string): void {
  closeLeaf(page)
  if (fence) emit(page, [[run(language === '' ? '──' : `── ${showText(language)}`, '2')]])
  page.leaf = { type: 'code', ...(fence ? { fence } : {}), colours, inside: '', line: '' }
}
