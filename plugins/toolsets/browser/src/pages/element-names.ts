import type { SerializedAXNode } from './library.ts'

/** What elements are called in snapshots: `@e5` means the same one as long as it is there. */
export interface ElementNames {
  nameOf(node: SerializedAXNode): string
  /** Makes the elements of a snapshot known. */
  keep(shown: ReadonlyMap<string, SerializedAXNode>): void
  find(ref: string): SerializedAXNode
}

const mostKept = 5000

export function createElementNames(): ElementNames {
  const names = new Map<string, string>()
  const elements = new Map<string, SerializedAXNode>()
  let last = 0
  return {
    nameOf: (node) => {
      const key = `${node.loaderId} ${node.backendNodeId}`
      const known = names.get(key)
      if (known !== undefined) return known
      last += 1
      names.set(key, `@e${last}`)
      return `@e${last}`
    },
    keep: (shown) => {
      if (elements.size > mostKept) {
        names.clear()
        elements.clear()
      }
      for (const [name, node] of shown) elements.set(name, node)
    },
    find: (ref) => {
      const found = elements.get(ref.startsWith('@') ? ref : `@${ref}`)
      if (found) return found
      throw new Error(`no snapshot has shown ${ref}: browser_snapshot names the elements.`)
    },
  }
}
