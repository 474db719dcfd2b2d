import { type Document, isMap, isNode, isScalar, isSeq } from 'yaml'

export type KeyPath = readonly (string | number)[]

/** Where a key stands in a text, or the nearest section around it that does. */
export function offsetOf(document: Document, path: KeyPath): number {
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
