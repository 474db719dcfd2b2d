import { basename } from 'node:path'
import type { SyntaxNode, SyntaxPath } from './syntax.ts'

/** Where a change is made, in words that stay the same when code moves. */
export interface Place {
  /** `<file> <function>` */
  readonly where: string
  readonly original: string
}

export function readPlace(path: SyntaxPath): Place {
  const { opts, code } = path.hub.file
  return { where: [basename(opts.filename), nameOfFunction(path)].filter(Boolean).join(' '), original: originalOf(path.node, code) }
}

/** A block is named by the line that opens it, so that a change inside does not make it another one. */
function originalOf(node: SyntaxNode, text: string): string {
  const [start, end] = [node.start ?? 0, node.end ?? 0]
  if (node.type !== 'BlockStatement') return shorten(text.slice(start, end))
  return shorten(`${text.slice(text.lastIndexOf('\n', start - 1) + 1, start)}{…}`)
}

export function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > 120 ? `${line.slice(0, 119)}…` : line
}

/** The innermost function that has a name: its own, its variable's, its method's or its property's. */
function nameOfFunction(path: SyntaxPath): string {
  const named = path.find((each) => /Function|Method/.test(each.node.type) && nameOf(each) !== '')
  return named ? nameOf(named) : ''
}

function nameOf(path: SyntaxPath): string {
  const { node, parentPath } = path
  const own = node.id ?? node.key
  if (own) return own.name ?? ''
  const parent = parentPath?.node
  if (parent?.type === 'VariableDeclarator') return parent.id?.name ?? ''
  return parent?.type === 'ObjectProperty' ? (parent.key?.name ?? '') : ''
}
