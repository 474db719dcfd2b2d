import { createContext, Script } from 'node:vm'

/** Longest part of a line that is searched. */
const longestLine = 2000
/** Milliseconds for one file: nothing else runs meanwhile. */
const longestMatch = 250

/** Indices of the lines that fit; `undefined` when the expression took too long. */
export type MatchLines = (lines: readonly string[]) => readonly number[] | undefined

/** A regular expression can take exponential time; only the interpreter's own time limit can stop it. */
export function createMatcher(pattern: string): MatchLines {
  const expression = new RegExp(pattern, 'u')
  const script = new Script('search()')
  return (lines) => {
    const search = (): readonly number[] =>
      lines.flatMap((line, index) => (expression.test(line.length > longestLine ? line.slice(0, longestLine) : line) ? [index] : []))
    try {
      return script.runInContext(createContext({ search }), { timeout: longestMatch }) as readonly number[]
    } catch (error) {
      // The error belongs to the script's own realm, so it is no instance of our Error.
      const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined
      if (code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
      throw error
    }
  }
}
