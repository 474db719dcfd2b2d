import { lstatSync, realpathSync, statSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import { fixedOf, hiddenOf } from './hidden-paths.ts'

/** Paths as settings and callers name them; each is looked up when a command starts. */
export interface SandboxWishes {
  readonly workspace: string
  readonly userHome: string
  /** Becomes /tmp. */
  readonly temporary: string
  /** The host's own: folders that no command sees. */
  readonly hidden: readonly string[]
  /** The host's own, and may lie in a hidden one. */
  readonly writable: readonly string[]
  /** The host's own: folders that programs may read although they lie in a hidden one. */
  readonly readable?: readonly string[]
  /** `terminal.hidden` and `terminal.writable`. */
  readonly alsoHidden: readonly string[]
  readonly alsoWritable: readonly string[]
  readonly network: boolean
}

/** What becomes of one path. `hidden`: nobody sees it. `readable`: it lies in a hidden one, and programs may read it. `writable`: they may write there. `fixed`: they may only read it. */
export interface SandboxMount {
  readonly path: string
  readonly as: 'hidden' | 'readable' | 'writable' | 'fixed'
  readonly isFolder: boolean
}

/** What a sandbox shows and lets change, in real paths. The system is read-only. */
export interface SandboxPlan {
  readonly workspace: string
  readonly temporary: string
  /** Outer paths first: what lies deeper decides. */
  readonly mounts: readonly SandboxMount[]
  readonly network: boolean
}

/** Folders of the system: a workspace that takes in one of these is not writable. */
const system = ['/bin', '/boot', '/dev', '/etc', '/lib', '/nix', '/proc', '/run', '/sbin', '/sys', '/usr', '/var']
const pseudo = ['/proc', '/sys']
/** What a sandbox replaces anyhow. */
const replaced = ['/dev', '/proc', '/run', '/tmp', '/var/tmp']

export function planSandbox(wishes: SandboxWishes): SandboxPlan {
  const { workspace, userHome, temporary, network } = wishes
  const absolute = (path: string): string => resolve(workspace, path.replace(/^~(?=\/|$)/, userHome))
  const writable = [...wishes.writable, ...withoutInner(wishes.alsoWritable.map(absolute), workspace), workspace]
  const found = new Map<string, SandboxMount>()
  const add = (paths: readonly string[], as: SandboxMount['as']): void => {
    for (const path of paths) {
      const real = lookUp(path)
      if (real && (as !== 'writable' || mayBeWritable(real.path))) found.set(real.path, { ...real, as })
    }
  }
  // The last one wins where two name the same path.
  add(wishes.readable ?? [], 'readable')
  add(writable, 'writable')
  add(fixedOf(userHome, workspace), 'fixed')
  add([...hiddenOf(userHome), ...wishes.alsoHidden.map(absolute), ...wishes.hidden], 'hidden')
  return { workspace, temporary, mounts: keepNeeded([...found.values()], lookUp(workspace)?.path), network }
}

/** A path within another writable one is dropped unread: a command could have put a link there. */
function withoutInner(paths: readonly string[], workspace: string): readonly string[] {
  const all = [workspace, ...paths]
  return paths.filter((path) => !all.some((other) => path !== other && isWithin(path, other)))
}

/** The real path; nothing for what is not there, and so cannot be covered either. */
function lookUp(path: string): { readonly path: string; readonly isFolder: boolean } | undefined {
  try {
    if (!lstatSync(path, { throwIfNoEntry: false })) return undefined
    const real = realpathSync.native(path)
    return { path: real, isFolder: statSync(real).isDirectory() }
  } catch {
    // A broken link, or a folder that this user may not look into.
    return undefined
  }
}

/** Nothing of the system is, nor what holds some of it. */
export function mayBeWritable(path: string): boolean {
  return !system.some((folder) => isWithin(folder, path)) && !pseudo.some((folder) => isWithin(path, folder))
}

/** Outer paths first, and only where something changes; what leads to a covered path is made immovable. */
function keepNeeded(mounts: readonly SandboxMount[], workspace: string | undefined): readonly SandboxMount[] {
  const kept: SandboxMount[] = []
  for (const mount of [...mounts].sort((a, b) => a.path.length - b.path.length)) {
    const around = kept.findLast(({ path }) => isWithin(mount.path, path))
    const state = around?.as ?? (replaced.some((folder) => isWithin(mount.path, folder)) ? 'hidden' : 'fixed')
    const isNeeded = state !== mount.as && !(state === 'hidden' && mount.as === 'fixed')
    // The workspace is looked up by every command, so that none may put something else in its place.
    if (!isNeeded && !(mount.path === workspace && mount.as === 'writable')) continue
    if (around?.as === 'writable') kept.push(...between(around.path, mount.path, kept))
    kept.push(mount)
  }
  return kept.sort((a, b) => a.path.length - b.path.length)
}

/** The folders on the way: without their own mount they could be renamed, and the next sandbox would not find what it covers. */
function between(outer: string, inner: string, kept: readonly SandboxMount[]): readonly SandboxMount[] {
  const found: SandboxMount[] = []
  for (let path = dirname(inner); path !== outer; path = dirname(path)) {
    if (!kept.some((mount) => mount.path === path)) found.push({ path, as: 'writable', isFolder: true })
  }
  return found
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}${sep}`)
}
