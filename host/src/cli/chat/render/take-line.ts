import { openColours } from './code-colours.ts'
import { addCode, addLine, addPiece, addRow, closeLeaf, openCode, openSingle, openTable } from './leaves.ts'
import { type Container, dim, emit, gapIn, type Page, roomFor } from './page.ts'
import { mix, styles } from './style.ts'
import { readAlignment, splitCells } from './table.ts'

/** A part of a line: long ones come in several. */
export interface Piece {
  readonly text: string
  readonly isStart: boolean
  readonly isEnd: boolean
}

type Item = Extract<Container, { type: 'item' }>

/** Reads Markdown line by line, as models write it: what is not quite regular is read as it was meant. */
export function takePiece(page: Page, { text, isStart, isEnd }: Piece): void {
  const { leaf } = page
  if (!isStart) {
    if (leaf?.type === 'code') addCode(page, leaf, text, isEnd)
    else addPiece(page, text)
    return
  }
  if (leaf?.type === 'paragraph' && leaf.isSingle) closeLeaf(page)
  const { matched, rest } = matchContainers(page, text)
  const isInside = matched === page.containers.length
  if (page.leaf?.type === 'code' && isInside && takeCodeLine(page, rest, isEnd)) return
  if (rest.trim() === '') {
    takeEmptyLine(page, matched)
    return
  }
  if (!isInside && page.leaf?.type === 'paragraph' && !beginsBlock(rest)) {
    addLine(page, rest.trim())
    return
  }
  const left = page.containers[matched]
  if (!isInside) closeTo(page, matched)
  const own = openContainers(page, rest, left?.type === 'item' ? left : undefined)
  if (own.trim() !== '') takeLeafLine(page, own, isEnd)
}

/** The containers that go on in a line, and what of it stands in them. */
function matchContainers({ containers, leaf }: Page, text: string): { readonly matched: number; readonly rest: string } {
  let rest = text
  for (const [index, container] of containers.entries()) {
    if (container.type === 'quote') {
      const bar = /^ {0,3}> ?/.exec(rest)
      if (!bar) return { matched: index, rest }
      rest = rest.slice(bar[0].length)
    } else {
      const indent = indentOf(rest)
      // Two more than the sign are enough, though numbers are wider; code that has begun stays where it is.
      const isIn = rest.trim() === '' || indent >= Math.min(container.indent, 2) || (leaf?.type === 'code' && leaf.fence)
      if (!isIn) return { matched: index, rest }
      rest = rest.slice(Math.min(indent, container.indent))
    }
  }
  return { matched: containers.length, rest }
}

function indentOf(text: string): number {
  return text.length - text.replace(/^ +/, '').length
}

/** True where the line was one of the code, or its end. */
function takeCodeLine(page: Page, rest: string, isEnd: boolean): boolean {
  const code = page.leaf
  if (code?.type !== 'code') return false
  const { fence } = code
  if (!fence) {
    if (rest.trim() === '' || indentOf(rest) < 4) return false
    addCode(page, code, rest.slice(4), isEnd)
    return true
  }
  const trimmed = rest.trim()
  const isFence =
    isEnd && indentOf(rest) < 4 + fence.indent && trimmed.length >= fence.length && trimmed === fence.sign.repeat(trimmed.length)
  if (isFence) closeLeaf(page)
  else addCode(page, code, rest.slice(Math.min(indentOf(rest), fence.indent)), isEnd)
  return true
}

function takeEmptyLine(page: Page, matched: number): void {
  closeLeaf(page)
  const left = page.containers.findIndex(({ type }, index) => index >= matched && type === 'quote')
  if (left >= 0) closeTo(page, left)
  page.gap = gapIn(page.containers, page.columns())
}

/** Leaves containers; an item without content is shown by its sign. */
export function closeTo(page: Page, depth: number): void {
  closeLeaf(page)
  if (page.containers.slice(depth).some((each) => each.type === 'item' && !each.isShown)) emit(page, [[]])
  page.containers = page.containers.slice(0, depth)
}

const fencePattern = /^( *)(`{3,}|~{3,})[ \t]*([^\s`]*)[^`]*$/
const headingPattern = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$/
const rulePattern = /^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/

function beginsBlock(rest: string): boolean {
  const isFirst = readMarker(rest) !== undefined || /^ *>/.test(rest)
  return isFirst || fencePattern.test(rest) || headingPattern.test(rest) || rulePattern.test(rest)
}

interface Marker {
  readonly kind: string
  readonly number: number
  readonly indent: number
  readonly content: string
}

function readMarker(rest: string): Marker | undefined {
  const found = rulePattern.test(rest) ? null : /^( *)(?:([-*+])|(\d{1,9})([.)]))(?:( +)(.*)|\s*)$/.exec(rest)
  if (!found) return undefined
  const [, before = '', bullet, digits = '', delimiter, spaces = ' ', content = ''] = found
  const gap = spaces.length > 4 ? 1 : spaces.length
  return {
    kind: bullet ?? delimiter ?? '',
    number: Number(digits),
    indent: before.length + (bullet ?? `${digits}.`).length + gap,
    content: ' '.repeat(spaces.length - gap) + content,
  }
}

/** Containers in each other; what is deeper is text. */
const deepest = 24

/** Enters what the line begins: quotes and items. Answers what is left of it. */
function openContainers(page: Page, text: string, sibling: Item | undefined): string {
  let rest = text
  let left = sibling
  while (page.containers.length < deepest) {
    const bar = /^ {0,3}> ?/.exec(rest)
    const marker = bar ? undefined : readMarker(rest)
    if (bar) {
      closeLeaf(page)
      page.containers = [...page.containers, { type: 'quote' }]
      rest = rest.slice(bar[0].length)
    } else if (marker && mayBegin(page, marker, rest, left)) {
      closeLeaf(page)
      const number = left?.kind === marker.kind ? left.number + 1 : marker.number
      page.containers = [...page.containers, itemOf(page, marker, number)]
      rest = takeTask(page, marker.content)
      left = undefined
    } else return rest
  }
  return rest
}

/** Text that only looks like an item goes on with its paragraph; what stands far right without a list is code. */
function mayBegin({ leaf, containers }: Page, { kind, number, content }: Marker, rest: string, left: Item | undefined): boolean {
  if (indentOf(rest) >= 4 && !containers.some(({ type }) => type === 'item')) return false
  if (leaf?.type !== 'paragraph' || left?.kind === kind) return true
  return content.trim() !== '' && ('-*+'.includes(kind) || number === 1 || containers.length > 0)
}

const bullets = ['•', '◦', '▪']

function itemOf({ containers }: Page, { kind, indent }: Marker, number: number): Item {
  const depth = containers.filter((each) => each.type === 'item' && '-*+'.includes(each.kind)).length
  const label = '-*+'.includes(kind) ? `${bullets[Math.min(depth, bullets.length - 1)]} ` : `${number}${kind} `
  return { type: 'item', indent, kind, number, label, isShown: false }
}

/** A box that can be ticked is shown as one. */
function takeTask(page: Page, content: string): string {
  const box = /^\[([ xX])\] +(?=\S)/.exec(content)
  const item = page.containers.at(-1)
  if (!box || item?.type !== 'item') return content
  const label = `${'-*+'.includes(item.kind) ? '' : item.label}${box[1] === ' ' ? '☐' : '☑'} `
  page.containers = [...page.containers.slice(0, -1), { ...item, label }]
  return content.slice(box[0].length)
}

/** What is left of a line begins a block or goes on with one. */
function takeLeafLine(page: Page, rest: string, isEnd: boolean): void {
  if (takeFence(page, rest) || takeHeading(page, rest) || takeUnderline(page, rest) || takeRule(page, rest)) return
  const { leaf } = page
  if (leaf?.type === 'table' && rest.includes('|')) addRow(page, leaf, rest)
  else if (leaf === undefined && indentOf(rest) >= 4) {
    openCode(page, undefined, openColours('', page.colour), '')
    if (page.leaf?.type === 'code') addCode(page, page.leaf, rest.slice(4), isEnd)
  } else {
    if (leaf?.type !== 'paragraph') closeLeaf(page)
    addLine(page, rest.trimStart())
  }
}

function takeFence(page: Page, rest: string): boolean {
  const fence = fencePattern.exec(rest)
  if (!fence) return false
  const [, before = '', sign = '', language = ''] = fence
  const opened = { sign: sign.charAt(0), length: sign.length, indent: before.length }
  openCode(page, opened, openColours(language.toLowerCase(), page.colour), language)
  return true
}

function takeRule(page: Page, rest: string): boolean {
  if (!rulePattern.test(rest)) return false
  closeLeaf(page)
  emit(page, [dim('─'.repeat(Math.min(roomFor(page), 40)), page)])
  return true
}

function takeHeading(page: Page, rest: string): boolean {
  const heading = headingPattern.exec(rest)
  if (!heading) return false
  const [, marks = '', title = ''] = heading
  closeLeaf(page)
  if (page.isStarted) page.gap ??= gapIn(page.containers, page.columns())
  openHeading(page, title, marks.length)
  return true
}

function openHeading(page: Page, title: string, level: number): void {
  const style = mix(page.style, mix(styles.bold, level === 1 ? styles.underline : ''))
  openSingle(page, page.colour ? title : `${'#'.repeat(level)} ${title}`, style)
}

/** A line below text that makes a heading or the head of a table of it. */
function takeUnderline(page: Page, rest: string): boolean {
  const { leaf } = page
  if (leaf?.type !== 'paragraph' || leaf.carry.length > 0 || leaf.text === '') return false
  const lines = leaf.text.split('\n')
  const last = lines.pop() ?? ''
  const align = last.includes('|') ? readAlignment(rest) : undefined
  if (align?.length === splitCells(last).length) {
    page.leaf = { ...leaf, text: lines.join('\n') }
    closeLeaf(page)
    openTable(page, last, align)
    return true
  }
  const isHeading = lines.length === 0 && /^ {0,3}(=+|-{2,})\s*$/.test(rest)
  if (!isHeading) return false
  page.leaf = undefined
  openHeading(page, leaf.text, rest.trim().startsWith('=') ? 1 : 2)
  return true
}
