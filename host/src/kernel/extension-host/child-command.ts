import { join, sep } from 'node:path'
import { type DeclaredPaths, realPath, resolveDeclared } from '../isolation/declared-paths.ts'
import type { PermissionSet } from '../isolation/permission-set.ts'
import { doorPlace, formatSandboxArguments } from '../isolation/sandbox-arguments.ts'
import { noDebugger } from '../no-debugger.ts'
import type { WorkingSandbox } from '../sandbox/sandbox-level.ts'

/** What a child may touch on the disk. */
export interface ChildPlaces {
  /** The child program. */
  readonly program: string
  /** Folders of the plugins that run in it. */
  readonly roots: readonly string[]
  /** Their data folders, made already. */
  readonly data: readonly string[]
  /** What `$workspace` stands for. */
  readonly workspace: string
  readonly cwd: string
}

export interface ChildCommandOptions {
  readonly set: PermissionSet
  readonly places: ChildPlaces
  readonly node: string
  /** Flags that the Node at hand knows. */
  readonly flags: Pick<ReadonlySet<string>, 'has'>
  /** Where it is to run in one. */
  readonly sandbox?: WorkingSandbox | undefined
  /** Folder of the way out of a sandbox. */
  readonly door?: string | undefined
  /** Homes of the agent, which no sandbox shows. */
  readonly homes: readonly string[]
  /** Shown to nobody who does not declare exactly these: keys and passwords of the person. */
  readonly secrets: readonly string[]
}

export interface ChildCommand {
  readonly file: string
  readonly args: readonly string[]
  /** It runs in a sandbox, which tells on its own pipe how it goes. */
  readonly sandboxed: boolean
  /** What this Node cannot keep in bounds, in words. */
  readonly warnings: readonly string[]
}

export const statusPipe = 4

/** How a child is started: Node with the permissions of its set, in a sandbox where there is one for it. */
export function formatChildCommand(options: ChildCommandOptions): ChildCommand {
  const { set, node, sandbox, door, places, homes, secrets } = options
  const declared = resolveDeclared(set.permissions.fs, { ...places, homes: homes.map(realPath) })
  const { reads, writes } = declared
  const { args, warnings: ofNode } = nodeFlags(options, declared)
  const { warnings } = declared
  const own = [...args, realPath(places.program)]
  // What Node cannot keep in bounds the sandbox does.
  if (sandbox === undefined) return { file: node, args: own, sandboxed: false, warnings: [...warnings, ...ofNode] }
  const program = realPath(node)
  const view = formatSandboxArguments(sandbox, {
    ...{ door, network: isDirect(set), cwd: places.cwd, statusPipe },
    reads: [program, realPath(places.program), ...places.roots, ...reads],
    writes: [...places.data, ...writes],
    hidden: [...homes, ...secrets.map(realPath).filter((path) => !reads.includes(path) && !writes.includes(path))],
  })
  return { file: sandbox.program, args: [...view, program, ...own, ...wordsFor(set, door)], sandboxed: true, warnings }
}

/** The plugin has the network of the machine, and no door. */
export function isDirect({ permissions }: Pick<PermissionSet, 'permissions'>): boolean {
  return permissions.net?.value.includes('direct') === true
}

/** What the child program is told of its network. */
function wordsFor(set: PermissionSet, door: string | undefined): readonly string[] {
  if (isDirect(set)) return []
  return [door === undefined ? 'closed' : `${doorPlace}/door`]
}

function nodeFlags({ set, places, flags }: ChildCommandOptions, { reads, writes }: DeclaredPaths) {
  const args = [`--max-old-space-size=${Math.max(32, Math.floor((set.memoryBytes / 1024 / 1024) * 0.75))}`, ...noDebugger(flags)]
  const warnings: string[] = []
  const permission = ['--permission', '--experimental-permission'].find((flag) => flags.has(flag))
  const mayRun = (set.permissions.run?.value.length ?? 0) > 0
  if (permission === undefined) return { args, warnings: ['this Node has no permission flags: files and programs are not kept from it'] }
  if (permission === '--experimental-permission') {
    if (flags.has('--disable-warning')) args.push('--disable-warning=ExperimentalWarning')
    if (mayRun) warnings.push('it may start programs, and with this Node nothing limits what they do')
  }
  args.push(permission)
  const readable = [...places.roots, ...places.data, ...reads, ...writes].map(wholeFolder)
  for (const path of withoutCovered([...readable, realPath(places.program)])) args.push(`--allow-fs-read=${path}`)
  for (const path of withoutCovered([...places.data, ...writes].map(wholeFolder))) args.push(`--allow-fs-write=${path}`)
  if (mayRun) args.push('--allow-child-process')
  // Whom it may call is decided outside of it.
  if (flags.has('--allow-net')) args.push('--allow-net')
  return { args, warnings }
}

function wholeFolder(path: string): string {
  return path.endsWith(`${sep}*`) ? path : join(realPath(path), '*')
}

/** Node 20 ends with an assertion where one grant lies within another. */
function withoutCovered(paths: readonly string[]): readonly string[] {
  const unique = [...new Set(paths)]
  return unique.filter(
    (path) => !unique.some((other) => other !== path && other.endsWith(`${sep}*`) && path.startsWith(other.slice(0, -1))),
  )
}
