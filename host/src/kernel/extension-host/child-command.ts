import { existsSync, realpathSync } from 'node:fs'
import { dirname, isAbsolute, join, sep } from 'node:path'
import type { PermissionSet } from '../isolation/permission-set.ts'

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
  /** Path of the program, for sets that ask for it. */
  readonly bwrap?: string | undefined
  /** Hidden from a sandbox, apart from what the plugins need. */
  readonly userHome: string
}

export interface ChildCommand {
  readonly file: string
  readonly args: readonly string[]
  /** The sandbox tells the number of the process in it on this pipe. */
  readonly tellsPid: boolean
  /** What this Node cannot keep in bounds, in words. */
  readonly warnings: readonly string[]
}

export const infoPipe = 4

/** How a child is started: Node with the permissions of its set, in a sandbox where it asks for one. */
export function formatChildCommand(options: ChildCommandOptions): ChildCommand {
  const { set, node, bwrap, places } = options
  const reads = expandPaths(set.permissions.fs?.value.read ?? [], places)
  const writes = expandPaths(set.permissions.fs?.value.write ?? [], places)
  const { args, warnings } = nodeFlags(options, reads, writes)
  const own = [...args, places.program]
  if (set.isolation !== 'bwrap' || bwrap === undefined) return { file: node, args: own, tellsPid: false, warnings }
  return { file: bwrap, args: [...sandboxFlags(options, reads, writes), node, ...own], tellsPid: true, warnings }
}

function nodeFlags({ set, places, flags }: ChildCommandOptions, reads: readonly string[], writes: readonly string[]) {
  const args = [`--max-old-space-size=${Math.max(32, Math.floor((set.memoryBytes / 1024 / 1024) * 0.75))}`]
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
  return { args, warnings }
}

/** The disk read-only and the user's own folder out of sight, no network, no other processes. */
function sandboxFlags(
  { places, node, userHome }: ChildCommandOptions,
  reads: readonly string[],
  writes: readonly string[],
): readonly string[] {
  const bind = (kind: string, paths: readonly string[]): readonly string[] => paths.filter(existsSync).flatMap((path) => [kind, path, path])
  return [
    ...['--die-with-parent', '--new-session', '--unshare-all', '--as-pid-1', '--info-fd', String(infoPipe)],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', userHome, '--tmpfs', '/tmp'],
    ...bind('--ro-bind', [dirname(realPath(node)), realPath(places.program), ...places.roots, ...reads]),
    ...bind('--bind', [...places.data, ...writes]),
    ...['--chdir', places.cwd],
  ]
}

/** `$data` is granted always; a path that is neither a token nor absolute stands for nothing. */
function expandPaths(paths: readonly string[], { workspace }: ChildPlaces): readonly string[] {
  return paths.flatMap((path) => {
    const whole = path === '$workspace' || path.startsWith('$workspace/') ? join(workspace, path.slice('$workspace'.length)) : path
    return isAbsolute(whole) ? [realPath(whole)] : []
  })
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path
    throw error
  }
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
