type Tree = Readonly<Record<string, unknown>>

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Defaults with the file's values on top. A key without a value (null) keeps its default; lists are replaced, not joined. */
export function mergeDefaults(defaults: unknown, value: unknown): unknown {
  if (value === null || value === undefined) return structuredClone(defaults)
  if (!isTree(defaults) || !isTree(value)) return structuredClone(value)
  const merged: Record<string, unknown> = { ...defaults }
  for (const key of new Set([...Object.keys(defaults), ...Object.keys(value)])) {
    const known = Object.hasOwn(defaults, key) ? defaults[key] : undefined
    const result = mergeDefaults(known, Object.hasOwn(value, key) ? value[key] : undefined)
    if (result !== undefined) define(merged, key, result)
  }
  return merged
}

/** The value at a path, or undefined. */
export function valueAt(tree: unknown, path: readonly (string | number)[]): unknown {
  let node = tree
  for (const segment of path) {
    if (Array.isArray(node)) node = node[Number(segment)]
    else if (isTree(node) && Object.hasOwn(node, segment)) node = node[segment]
    else return undefined
  }
  return node
}

/** A copy with the value at a path replaced; undefined removes the key. */
export function withValueAt(tree: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  const copy: Record<string, unknown> = isTree(tree) ? { ...tree } : {}
  const next = rest.length === 0 ? value : withValueAt(Object.hasOwn(copy, key) ? copy[key] : {}, rest, value)
  if (next === undefined) delete copy[key]
  else define(copy, key, next)
  return copy
}

/** A copy without what stands at the paths, however many they are. */
export function withoutPaths(tree: unknown, paths: readonly (readonly string[])[]): unknown {
  if (!isTree(tree) || paths.length === 0) return tree
  const below = new Map<string, (readonly string[])[]>()
  for (const [key = '', ...rest] of paths)
    below
      .set(key, below.get(key) ?? [])
      .get(key)
      ?.push(rest)
  const copy: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(tree)) {
    const here = below.get(key) ?? []
    if (!here.some((path) => path.length === 0)) define(copy, key, withoutPaths(value, here))
  }
  return copy
}

// Plain assignment of the key __proto__ would change the prototype instead.
function define(target: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true })
}
