import { type Document, isAlias, isMap, isNode, isPair, isScalar, isSeq } from 'yaml'

/** Levels of sections and lists within each other. */
export const deepest = 100
/** Values of a file once every alias stands for what it names. */
const most = 100_000

interface Fault {
  readonly offset: number
  readonly reason: string
}

interface Extent {
  readonly depth: number
  readonly size: number
}

/** The first key that stands twice in its section, alias that leads nowhere or into itself, and aliases that multiply without end. */
export function findFault({ contents }: Document): Fault | undefined {
  const anchors = new Map<string, Extent | 'open'>()
  let fault: Fault | undefined

  const refuse = (node: unknown, reason: string): Extent => {
    fault ??= { offset: (isNode(node) ? node.range?.[0] : undefined) ?? 0, reason }
    return { depth: 0, size: 0 }
  }
  const follow = (node: unknown, name: string): Extent => {
    const target = anchors.get(name)
    if (target === undefined) return refuse(node, 'an alias (*) names an anchor (&) that does not stand before it')
    return target === 'open' ? refuse(node, 'an alias (*) stands for a value that it is part of') : target
  }
  const measure = (node: unknown): Extent => {
    if (isPair(node)) return measure(node.value)
    if (isAlias(node)) return follow(node, node.source)
    const anchor = isNode(node) && 'anchor' in node && typeof node.anchor === 'string' ? node.anchor : undefined
    if (anchor !== undefined) anchors.set(anchor, 'open')
    const extent = isMap(node) || isSeq(node) ? measureItems(node) : { depth: 0, size: 1 }
    if (anchor !== undefined) anchors.set(anchor, extent)
    return extent
  }
  const checkKey = (known: Set<string>, node: unknown): void => {
    const key = String(isScalar(node) ? node.value : node)
    if (known.has(key)) refuse(node, `the key ${key.slice(0, 60)} stands here a second time`)
    known.add(key)
  }
  const measureItems = (node: { readonly items: readonly unknown[] }): Extent => {
    const keys = new Set<string>()
    let [depth, size] = [0, 1]
    for (const item of node.items) {
      if (isPair(item)) checkKey(keys, item.key)
      if (fault) break
      const inner = measure(item)
      depth = Math.max(depth, inner.depth)
      size += inner.size
    }
    if (size > most) return refuse(node, `it holds more than ${most.toLocaleString('en')} values`)
    return depth + 1 > deepest ? refuse(node, `it is nested deeper than ${deepest} levels`) : { depth: depth + 1, size }
  }
  measure(contents)
  return fault
}
