import { tmpdir } from 'node:os'
import { judgeProgram } from '../programs/judge-program.ts'
import { type Inspection, inspectCommand } from '../shell/inspect-command.ts'
import type { PathUse } from '../shell/paths-of.ts'
import type { CommandPlace } from '../shell/walk.ts'
import type { Pattern } from './dangers.ts'
import { type Danger, dangers, tooLong } from './dangers.ts'
import { hardline, isSystemFolder } from './hardline.ts'
import { within } from './judge-path.ts'
import type { PathRules } from './path-rules.ts'

export type CommandVerdict =
  | { readonly type: 'forbidden'; readonly reason: string }
  | { readonly type: 'protected'; readonly path: string }
  | { readonly type: 'denied'; readonly pattern: string }
  | ({ readonly type: 'judged' } & JudgedCommand)

export interface JudgedCommand {
  /** What a person has to allow. */
  readonly dangers: readonly Danger[]
  /** Names of all dangers, also of those that a sandbox stops. */
  readonly names: readonly string[]
  /** What it would touch, as far as that is known. */
  readonly paths: readonly PathUse[]
}

export interface JudgeOptions extends CommandPlace {
  readonly deny: readonly string[]
  readonly paths: PathRules
  /** It runs in a sandbox: what that stops needs no question. */
  readonly contained?: boolean
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
  const paths = distinct(inspection.paths)
  for (const use of paths.slice(0, mostPaths)) {
    const verdict = await judgeUse(use, options)
    if (verdict === 'system') return { type: 'forbidden', reason: 'it deletes the whole system or a folder that the system needs' }
    if (verdict === 'refuse') return { type: 'protected', path: use.path }
    if (verdict) found.set(verdict.name, verdict)
  }
  return { type: 'judged', ...judgeRest(inspection, paths, found, options) }
}

function judgeRest(inspection: Inspection, paths: readonly PathUse[], found: Map<string, Danger>, options: JudgeOptions): JudgedCommand {
  if (sendsSecret(inspection)) found.set(secretSent.name, secretSent)
  if (paths.length > mostPaths) found.set(tooLong.name, tooLong)
  for (const { name, sentence, harm } of matching(dangers, inspection)) found.set(name, { name, sentence, harm })
  // It says least of all: another reason says what is wrong.
  if (found.size > 1) found.delete(outside.name)
  if (found.size === 0) for (const unknown of unknownIn(inspection)) found.set(unknown.name, unknown)
  const all = [...found.values()]
  const open = options.contained ? all.filter((danger) => isOpenInside(danger, paths, options)) : all
  return { dangers: open, names: all.map(({ name }) => name), paths }
}

/** A sandbox holds what nobody knows. */
const unknownIn = ({ runs }: Inspection): readonly Danger[] =>
  runs.flatMap((run) => {
    const unknown = judgeProgram(run)
    return unknown === undefined ? [] : [{ ...unknown, harm: 'machine' as const }]
  })

const secretFile = /(^|\/)(\.env(\.[\w-]+)?|\.envrc|id_(rsa|dsa|ecdsa|ed25519)|(credentials?|secrets?)(\.\w+)?)$/i
const senders: ReadonlySet<string> = new Set(
  'curl wget http https xh nc ncat netcat socat ssh scp rsync sftp ftp lftp tftp telnet mail mailx mutt sendmail rclone aws gsutil'.split(
    ' ',
  ),
)
const secretSent: Danger = { name: 'send-files', harm: 'beyond', sentence: 'it may send a file with secrets to another machine' }

/** A file that is called like a secret is read beside a program that talks to other machines. */
function sendsSecret({ paths, executables }: Inspection): boolean {
  return [...executables].some((name) => senders.has(name)) && paths.some(({ path, use }) => use === 'read' && secretFile.test(path))
}

function matching(patterns: readonly Pattern[], { lines }: Inspection): readonly Pattern[] {
  const all = [...lines]
  return patterns.filter(({ pattern }) => all.some((line) => pattern.test(line)))
}

function distinct(paths: readonly PathUse[]): readonly PathUse[] {
  const seen = new Map<string, PathUse>()
  for (const use of paths) seen.set(`${use.use} ${use.tree} ${use.path}`, use)
  return [...seen.values()]
}

/** Whether a danger remains in a sandbox: nothing that it stops does, and no deletion of what can be made again. */
function isOpenInside({ name, harm }: Danger, paths: readonly PathUse[], { workspace }: JudgeOptions): boolean {
  if (harm === 'machine') return false
  if (harm === 'beyond' || !/^(recursive-delete|find-delete|xargs-delete|delete-all|delete-tool|move-away)$/.test(name)) return true
  const removed = paths.filter(({ use }) => use === 'remove')
  const isKept = removed.every(
    ({ path }) => path.startsWith(`${workspace}/`) && !/(^|\/)(\.git|\*|\.\[!\.\]\*)(\/|$)/.test(path.slice(workspace.length)),
  )
  return removed.length === 0 || !isKept
}

async function judgeUse(used: PathUse, options: JudgeOptions): Promise<'refuse' | 'system' | Danger | undefined> {
  const { path, use } = used
  if (!path.startsWith('/')) return use !== 'read' && credentials.test(path) ? 'refuse' : undefined
  return (await judgeFloor(used, options)) ?? judgeAccess(used, options)
}

/** What no setting allows. */
async function judgeFloor({ path, use }: PathUse, { paths: rules }: JudgeOptions): Promise<'refuse' | 'system' | undefined> {
  if (use === 'remove' && (await rules.spellings(path)).some(isSystemFolder)) return 'system'
  if (rules.globFits(path, use === 'read' ? 'read' : 'write')) return 'refuse'
  if (use !== 'read' && credentials.test(path)) return 'refuse'
  return use === 'remove' && (await rules.holdsProtected(path)) ? 'refuse' : undefined
}

async function judgeAccess(
  { path, use, tree }: PathUse,
  { paths: rules, workspace, userHome, folder }: JudgeOptions,
): Promise<'refuse' | Danger | undefined> {
  const verdict = await rules.judge(path, use === 'read' ? 'read' : 'write')
  if (verdict === 'refuse') return verdict
  const below = tree && use === 'read' ? await rules.judgeTree(path) : undefined
  if (tree && use === 'write' && verdict === undefined && within(userHome, path) !== undefined) return keysBelow
  if (below) return below
  const found = use === 'read' ? rules.globReads(path) : undefined
  if (found) return found
  if (verdict && !(verdict.name === 'system-files' && path.startsWith(`${workspace}/`))) return verdict
  return use === 'read' || isForWork(path, [workspace, folder]) ? undefined : outside
}

const outside: Danger = { name: 'outside', harm: 'machine', sentence: 'it changes files outside of the workspace' }

/** Where commands write every day: the workspace, the folder they start in, what lasts no longer than the machine runs, and devices that keep nothing. */
function isForWork(path: string, folders: readonly string[]): boolean {
  return (
    /^\/(tmp|var\/tmp|dev|run\/user)\//.test(path) ||
    path === tmpdir() ||
    [...folders, tmpdir()].some((each) => within(path, each) !== undefined)
  )
}

const keysBelow: Danger = { name: 'keys-below', harm: 'machine', sentence: 'it writes into a folder that holds keys and settings' }

function denies(glob: string, source: string, { lines, said, executables }: Inspection): boolean {
  const text = glob
    .replaceAll(/[.+^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll('?', '.')
  const pattern = new RegExp(`^${text}$`, 'is')
  return [source.trim(), ...executables, ...[...lines, ...said].map((line) => line.replaceAll('␣', ' '))].some((each) => pattern.test(each))
}
