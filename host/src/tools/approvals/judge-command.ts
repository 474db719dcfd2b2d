import type { Pattern } from './dangers.ts'
import { type Danger, dangers, tooLong } from './dangers.ts'
import { hardline } from './hardline.ts'
import { type CommandPlace, type Inspection, inspectCommand } from './inspect-command.ts'
import type { PathRules } from './path-rules.ts'

export type CommandVerdict =
  | { readonly type: 'pass' }
  | { readonly type: 'forbidden'; readonly reason: string }
  | { readonly type: 'protected'; readonly path: string }
  | { readonly type: 'denied'; readonly pattern: string }
  | { readonly type: 'dangerous'; readonly dangers: readonly Danger[] }

export interface JudgeOptions extends CommandPlace {
  readonly deny: readonly string[]
  readonly paths: PathRules
}

/** Folders of credentials are protected for commands wherever they lie: an earlier command may have changed the folder. */
const credentials = /(^|\/)(\.ssh|\.aws|\.kube)(\/|$)|(^|\/)\.netrc$/
const mostPaths = 300

/** What the floor, the user's deny list, the protected paths and the danger table say about a command; the first that says no wins. */
export async function judgeCommand(source: string, options: JudgeOptions): Promise<CommandVerdict> {
  const inspection = inspectCommand(source, options)
  const [worst] = matching(hardline, inspection)
  if (worst) return { type: 'forbidden', reason: worst.sentence }
  const pattern = options.deny.find((glob) => denies(glob, source, inspection))
  if (pattern !== undefined) return { type: 'denied', pattern }
  const found = new Map<string, Danger>()
  for (const { path, use } of inspection.paths.slice(0, mostPaths)) {
    const verdict = await judgePath(path, use, options.paths)
    if (verdict === 'refuse') return { type: 'protected', path }
    if (verdict) found.set(verdict.name, verdict)
  }
  if (inspection.paths.length > mostPaths) found.set(tooLong.name, tooLong)
  for (const danger of matching(dangers, inspection)) found.set(danger.name, { name: danger.name, sentence: danger.sentence })
  return found.size === 0 ? { type: 'pass' } : { type: 'dangerous', dangers: [...found.values()] }
}

function matching(patterns: readonly Pattern[], { lines }: Inspection): readonly Pattern[] {
  return patterns.filter(({ pattern }) => [...lines].some((line) => pattern.test(line)))
}

async function judgePath(path: string, use: 'read' | 'write' | 'remove', rules: PathRules): Promise<'refuse' | Danger | undefined> {
  if (!path.startsWith('/')) return use !== 'read' && credentials.test(path) ? 'refuse' : undefined
  if (rules.globFits(path, use === 'read' ? 'read' : 'write')) return 'refuse'
  if (use !== 'read' && credentials.test(path)) return 'refuse'
  if (use === 'remove' && (await rules.holdsProtected(path))) return 'refuse'
  return rules.judge(path, use === 'read' ? 'read' : 'write')
}

function denies(glob: string, source: string, { lines, executables }: Inspection): boolean {
  const text = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const pattern = new RegExp(`^${text}$`, 'is')
  return [source.trim(), ...executables, ...[...lines].map((line) => line.replaceAll('␣', ' '))].some((each) => pattern.test(each))
}
