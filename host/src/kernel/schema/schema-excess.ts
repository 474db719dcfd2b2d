/** More than anybody writes down; a larger schema would hold everybody up while it is read. */
const mostCharacters = 262_144
const mostValues = 10_000
const deepest = 100

/** Why a schema of somebody else is not to be read; looks no further than the limits, because writing a large one as text takes long. */
export function findSchemaExcess(schema: unknown): string | undefined {
  const waiting = [{ value: schema, depth: 0 }]
  let values = 0
  let characters = 0
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value, depth } = next
    const names = typeof value === 'object' && value !== null ? Object.keys(value) : []
    values++
    characters += typeof value === 'string' ? value.length : 0
    if (depth > deepest) return `it is nested deeper than ${deepest} levels`
    if (values + waiting.length + names.length > mostValues) return `it holds more than ${mostValues} values`
    for (const name of names) {
      characters += name.length
      waiting.push({ value: (value as Readonly<Record<string, unknown>>)[name], depth: depth + 1 })
    }
    if (characters > mostCharacters) return `it is longer than ${mostCharacters} characters`
  }
  return undefined
}
