/** What stands at a dotted path such as `commits.0.author.name`; undefined where nothing does. */
export function findField(payload: unknown, path: string): unknown {
  let found = payload
  for (const key of path.split('.')) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, key)) return undefined
    found = (found as Record<string, unknown>)[key]
  }
  return found
}

const longestRaw = 4000
const longestNested = 2000
const longestText = 32_000

/** Fills `{a.b.c}` with fields of the payload and `{__raw__}` with all of it. What is not there stays as it is written. */
export function fillTemplate(template: string, payload: unknown): string {
  const filled = template.replace(/\{([\w@$][\w@$.-]*)\}/g, (written, path: string) => {
    if (path === '__raw__') return formatRaw(payload)
    const found = findField(payload, path)
    if (found === undefined) return written
    if (typeof found === 'object' && found !== null) return JSON.stringify(found).slice(0, longestNested)
    return String(found)
  })
  return cut(filled, longestText)
}

/** The payload as people read JSON, as far as it fits. */
export function formatRaw(payload: unknown): string {
  return cut(JSON.stringify(payload, null, 2), longestRaw)
}

/** Shortens without leaving half of a character. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`
}
