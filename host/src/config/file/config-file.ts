import { existsSync, readFileSync } from 'node:fs'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { type Document, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument } from 'yaml'
import { migrateDocument } from './migrate.ts'

export type KeyPath = readonly (string | number)[]

/** config.yaml as it stands in the file, brought to the current version in memory. */
export interface ConfigFile {
  readonly document: Document
  readonly migrated: boolean
  /** Plain data of the whole file. */
  readonly value: Readonly<Record<string, unknown>>
  /** Line of a key, or of the nearest section around it that stands in the file. */
  lineOf(path: KeyPath): number
}

/** Reads the file; one that is not YAML, not a list of keys or too new is refused and left alone. */
export function readConfigFile(file: string): ConfigFile {
  return parseConfigFile(file, existsSync(file) ? readText(file) : '')
}

export function parseConfigFile(file: string, text: string): ConfigFile {
  const lines = new LineCounter()
  const document: Document = parseDocument(text, { lineCounter: lines })
  const [error] = document.errors
  if (error) {
    const reason = (error.message.split(' at line ')[0] ?? error.message).replace(/[.:]$/, '')
    throw fail('CONFIG_BROKEN', { file, line: errorLine(text, lines.linePos(error.pos[0]).line), reason })
  }
  if (document.contents === null) document.contents = document.createNode({}) as Document['contents']
  if (!isMap(document.contents))
    throw fail('CONFIG_INVALID', { file, line: 1, key: 'the file', problem: 'must be a list of keys and values' })
  const migrated = migrateDocument(document, file)
  return {
    document,
    migrated,
    value: toPlain(document, file),
    lineOf: (path) => lines.linePos(offsetOf(document, path)).line || 1,
  }
}

// What is never closed is noticed behind the last line.
function errorLine(text: string, line: number): number {
  return Math.max(1, Math.min(line, text.trimEnd().split('\n').length))
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw fail('HOME_UNUSABLE', { path: file, reason: detailOf(error) }, { cause: error })
  }
}

function toPlain(document: Document, file: string): Readonly<Record<string, unknown>> {
  try {
    return document.toJS() as Readonly<Record<string, unknown>>
  } catch (error) {
    // An alias that points nowhere, or so many that they only serve to exhaust memory.
    throw fail('CONFIG_BROKEN', { file, line: 1, reason: detailOf(error) }, { cause: error })
  }
}

function offsetOf(document: Document, path: KeyPath): number {
  let node: unknown = document.contents
  let offset = 0
  for (const segment of path) {
    const child = childOf(node, String(segment))
    if (!child) return offset
    offset = (isNode(child.at) ? child.at.range?.[0] : undefined) ?? offset
    node = child.node
  }
  return offset
}

function childOf(node: unknown, segment: string): { readonly at: unknown; readonly node: unknown } | undefined {
  if (isSeq(node)) return { at: node.items[Number(segment)], node: node.items[Number(segment)] }
  if (!isMap(node)) return undefined
  const pair = node.items.find((item) => String(isScalar(item.key) ? item.key.value : item.key) === segment)
  return pair && { at: pair.key, node: pair.value }
}
