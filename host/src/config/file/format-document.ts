import { isDeepStrictEqual } from 'node:util'
import { type Document, type Scalar, visit } from 'yaml'
import { parseYaml } from './parse-yaml.ts'

/** The text of a changed document, with the byte order mark, line ends and digits of the text it was read from; undefined where it would not say the same. */
export function formatDocument(document: Document, before: string): string | undefined {
  const meant: unknown = document.toJS({ maxAliasCount: -1 })
  const numbers: { readonly node: Scalar; readonly value: number; readonly digits: string }[] = []
  const mark = `agent${before.length}number`
  // The library writes numbers as JavaScript knows them: a room of twenty digits would become another room.
  visit(document, {
    Scalar(_key, node) {
      // A number that was changed still carries the digits it was read from.
      if (typeof node.value !== 'number' || node.source === undefined || Number(node.source) !== node.value) return
      node.value = `${mark}${numbers.push({ node, value: node.value, digits: node.source }) - 1}.`
    },
  })
  const formatted = document
    .toString({ lineWidth: 0 })
    .replace(new RegExp(`${mark}(\\d+)\\.`, 'g'), (_whole, index) => numbers[Number(index)]?.digits ?? '')
  for (const { node, value } of numbers) node.value = value
  const windows = 2 * (before.split('\r\n').length - 1) > before.split('\n').length - 1
  const text = `${before.startsWith('\uFEFF') ? '\uFEFF' : ''}${windows ? formatted.replaceAll('\n', '\r\n') : formatted}`
  const read = parseYaml(text)
  return read.ok && isDeepStrictEqual(read.document.toJS({ maxAliasCount: -1 }), meant) ? text : undefined
}
