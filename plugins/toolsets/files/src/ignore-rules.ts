import { compileGlob } from './glob.ts'

export interface IgnoreRule {
  /** The folder of the `.gitignore`, relative to the search's start, with a final slash; empty for the start itself. */
  readonly folder: string
  readonly pattern: RegExp
  readonly foldersOnly: boolean
  readonly negated: boolean
}

/** Folders that are never of interest, whatever `.gitignore` says. */
export const skippedFolders: ReadonlySet<string> = new Set(['.git', 'node_modules', 'dist'])

/** Files of credentials: the host guards the path that a search starts from, not each file below it. */
export const skippedFiles: RegExp = /^(\.env(\..+)?|\.envrc|\.netrc|auth\.json|id_(rsa|dsa|ecdsa|ed25519))$/

/** The rules of one `.gitignore`; a line that cannot be read is passed over, as git does. */
export function parseIgnoreRules(text: string, folder: string): readonly IgnoreRule[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const trimmed = line.trimEnd()
    if (trimmed === '' || trimmed.startsWith('#')) return []
    const negated = trimmed.startsWith('!')
    const rule = negated ? trimmed.slice(1) : trimmed
    const foldersOnly = rule.endsWith('/')
    const glob = foldersOnly ? rule.slice(0, -1) : rule
    try {
      return [{ folder, pattern: compileGlob(glob), foldersOnly, negated }]
    } catch {
      return []
    }
  })
}

/** The last rule that fits decides. `path` is relative to the search's start. */
export function isIgnored(rules: readonly IgnoreRule[], path: string, about: { readonly folder: boolean }): boolean {
  const last = rules.findLast(
    (rule) => path.startsWith(rule.folder) && (about.folder || !rule.foldersOnly) && rule.pattern.test(path.slice(rule.folder.length)),
  )
  return last !== undefined && !last.negated
}
