import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { writeFileAtomic } from '#config/home/atomic-file.ts'

/** What was sent before. */
export interface History {
  /** Newest first. */
  entries(): readonly string[]
  add(entry: string): void
}

const mostEntries = 1_000
/** A longer entry is remembered until the end of this chat only. */
const longestEntry = 1_000_000

/** Read at its first use. An entry is a line of the file: its text as a JSON string. Several chats may add to it. */
export function openHistory(file: string, onProblem: (error: unknown) => void): History {
  let known: string[] | undefined
  const entries = (): string[] => {
    known ??= attempt(onProblem, () => read(file)) ?? []
    return known
  }
  return {
    entries,
    add: (entry) => {
      if (entry.trim() === '' || entries()[0] === entry) return
      known = [entry, ...entries().filter((each) => each !== entry)].slice(0, mostEntries)
      if (entry.length <= longestEntry) attempt(onProblem, () => append(file, entry))
    },
  }
}

function read(file: string): string[] {
  if (!existsSync(file)) return []
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  if (lines.length > 2 * mostEntries) writeFileAtomic(file, `${lines.slice(-mostEntries).join('\n')}\n`)
  return [...new Set(lines.map(parse).reverse())].slice(0, mostEntries)
}

/** Earlier versions wrote the bare text. */
function parse(line: string): string {
  if (!line.startsWith('"')) return line
  try {
    return String(JSON.parse(line))
  } catch {
    return line
  }
}

function append(file: string, entry: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  appendFileSync(file, `${JSON.stringify(entry)}\n`, { mode: 0o600 })
}

/** A history that cannot be kept is no reason to end a chat. */
function attempt<T>(onProblem: (error: unknown) => void, act: () => T): T | undefined {
  try {
    return act()
  } catch (error) {
    onProblem(error)
    return undefined
  }
}
