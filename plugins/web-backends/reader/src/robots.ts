/** What a site asks programs to leave alone. */
export interface Robots {
  allows(path: string): boolean
  /** Seconds between two requests that it asks for. */
  readonly delay: number
}

interface Rule {
  readonly allow: boolean
  readonly path: string
}

interface Group {
  readonly agents: string[]
  readonly rules: Rule[]
  delay: number
}

/** Nothing is asked for. */
export const freeSite: Robots = { allows: () => true, delay: 0 }

const mostLines = 5000
const mostRules = 2000
const longestRule = 500

/** Reads a robots.txt: the group that names this program counts, else the one for all; of its rules the longest that fits. */
export function parseRobots(text: string, agent: string): Robots {
  const groups = readGroups(text)
  const own = groups.filter(({ agents }) => agents.includes(agent))
  const used = own.length > 0 ? own : groups.filter(({ agents }) => agents.includes('*'))
  // At the same length the one that allows goes first.
  const rules = used.flatMap((group) => group.rules).sort((a, b) => b.path.length - a.path.length || Number(b.allow) - Number(a.allow))
  return {
    allows: (path) => rules.find((rule) => fits(rule.path, path))?.allow ?? true,
    delay: Math.max(0, ...used.map(({ delay }) => delay)),
  }
}

function readGroups(text: string): readonly Group[] {
  const groups: Group[] = []
  let group: Group | undefined
  let naming = false
  for (const line of text.split(/\r?\n|\r/, mostLines)) {
    const [, name = '', value = ''] = /^\s*([\w-]+)\s*:([^#]*)/.exec(line) ?? []
    const field = name.toLowerCase()
    if (field === 'user-agent') {
      if (!group || !naming) {
        group = { agents: [], rules: [], delay: 0 }
        groups.push(group)
      }
      group.agents.push(value.trim().toLowerCase())
      naming = true
    } else if (group && field !== '') {
      naming = false
      addRule(group, field, value.trim())
    }
  }
  return groups
}

function addRule(group: Group, field: string, value: string): void {
  if (field === 'crawl-delay') group.delay = Number(value) > 0 ? Number(value) : 0
  // An empty rule rules nothing out.
  if ((field === 'allow' || field === 'disallow') && value !== '' && value.length <= longestRule && group.rules.length < mostRules)
    group.rules.push({ allow: field === 'allow', path: value })
}

/** `*` stands for anything and `$` for the end. Each piece is searched once, so that no rule takes long. */
function fits(rule: string, path: string): boolean {
  const isWhole = rule.endsWith('$')
  const [first = '', ...pieces] = (isWhole ? rule.slice(0, -1) : rule).split('*')
  if (!path.startsWith(first)) return false
  let at = first.length
  const last = isWhole ? pieces.pop() : undefined
  for (const piece of pieces) {
    const found = path.indexOf(piece, at)
    if (found === -1) return false
    at = found + piece.length
  }
  if (!isWhole) return true
  return last === undefined ? at === path.length : path.length - last.length >= at && path.endsWith(last)
}
