/** The keys of `written` in the order of `model`, which has at least the same keys; recursive. */
function ordered(written: unknown, model: unknown): unknown {
  if (Array.isArray(written)) return written.map((item, index) => ordered(item, (model as unknown[])[index]))
  if (typeof written !== 'object' || written === null) return written
  const from = written as Record<string, unknown>
  const order = model as Record<string, unknown>
  return Object.fromEntries(
    Object.keys(order)
      .filter((key) => Object.hasOwn(from, key))
      .map((key) => [key, ordered(from[key], order[key])]),
  )
}

/** Text of a generated JSON file: the schema's key order, two blanks, a newline at the end. */
export function formatJson(written: unknown, parsed: unknown = written): string {
  return `${JSON.stringify(ordered(JSON.parse(JSON.stringify(written)), parsed), null, 2)}\n`
}
