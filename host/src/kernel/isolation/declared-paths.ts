import { lstatSync, mkdirSync, readlinkSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, extname, isAbsolute, join, normalize, sep } from 'node:path'
import { isWithin } from '../sandbox/sandbox-plan.ts'
import type { PermissionSet } from './permission-set.ts'

/** What the plugins of a child may touch of the disk, in real paths. */
export interface DeclaredPaths {
  readonly reads: readonly string[]
  readonly writes: readonly string[]
  /** What was declared and is not shown, and why. */
  readonly warnings: readonly string[]
}

export interface DeclaredPlaces {
  /** What `$workspace` stands for. */
  readonly workspace: string
  /** Folders of the plugins, in which they write. */
  readonly data: readonly string[]
  /** Homes of the agent: of these, plugins see the workspace and their data. */
  readonly homes: readonly string[]
}

/** Other programs and their sockets. A file in /run may be shown, a folder may not. */
const ofOthers = ['/proc', '/dev', '/run', '/var/run']

/** Programs meet here, the agent and its children among them: not as a whole, and not what the agent has there. */
export const listTemporary = (): readonly string[] => [...new Set(['/tmp', realPath(tmpdir())])]

/**
 * What becomes of the paths of a manifest. A path leads through links of the system and of its operator, and through none that a plugin or a
 * command of the agent could have put there. What is to be written and does not exist is made: a file where its name has an extension,
 * else a folder.
 */
export function resolveDeclared(fs: PermissionSet['permissions']['fs'], places: DeclaredPlaces): DeclaredPaths {
  const warnings: string[] = []
  const workspace = realPath(places.workspace)
  const planters = [workspace, ...places.data.map(realPath)]
  const expand = (path: string): string => {
    if (path === '$workspace' || path.startsWith('$workspace/')) return join(workspace, path.slice('$workspace'.length))
    return isAbsolute(path) ? normalize(path) : ''
  }
  const resolve = (path: string, isWritten: boolean): readonly string[] => {
    const { real, problem } = judge(expand(path), { ...places, workspace, planters }, isWritten)
    if (problem !== undefined) warnings.push(`it declares ${path}, which is not shown to it: ${problem}`)
    return problem === undefined && real !== undefined ? [real] : []
  }
  // The outer ones first: a link within them leads nowhere.
  const writes: string[] = []
  for (const path of byLength(fs?.value.write ?? [])) {
    const found = resolve(path, true)
    writes.push(...found)
    planters.push(...found)
  }
  const reads = (fs?.value.read ?? []).flatMap((path) => resolve(path, false))
  // It may lie in what is kept from everybody, such as /tmp, and is meant all the same.
  const covers = (path: string): boolean => path !== workspace && isWithin(workspace, path)
  if (writes.some(covers)) writes.push(workspace)
  else if (reads.some(covers)) reads.push(workspace)
  return { reads, writes, warnings }
}

interface Judged {
  readonly real?: string
  readonly problem?: string
}

const alien = 'other programs are there; a sandbox has its own'

type Judging = DeclaredPlaces & { readonly planters: readonly string[] }

function judge(path: string, { workspace, data, homes, planters }: Judging, isWritten: boolean): Judged {
  // What is neither a token nor absolute stands for nothing.
  if (path === '') return {}
  // A link in /proc leads to what another program sees.
  if (isWithin(path, '/proc')) return { problem: alien }
  try {
    const { real, exists, planted } = follow(path, planters)
    if (planted !== undefined) return { problem: `${planted} is a link in a folder to which plugins or commands write` }
    const isOwn = [workspace, ...data].some((folder) => isWithin(real, folder))
    if (!isOwn && homes.some((home) => isWithin(real, home))) return { problem: 'it lies in the home of the agent' }
    if (!isOwn && isOfOthers(real, exists)) return { problem: alien }
    if (exists) return { real }
    if (!isWritten) return { problem: 'it does not exist yet; the next start of the plugin looks again' }
    make(real, path.endsWith(sep))
    return { real }
  } catch (error) {
    return { problem: (error as Error).message }
  }
}

function isOfOthers(real: string, exists: boolean): boolean {
  if (ofOthers.some((folder) => isWithin(real, folder))) return !(exists && real.startsWith('/run/') && lstatSync(real).isFile())
  return listTemporary().some((folder) => real === folder || real.startsWith(join(folder, 'agent-')))
}

const linksAtMost = 40

/** Goes the way of a path link by link, and stops at one that lies in a folder of `planters`. */
function follow(path: string, planters: readonly string[]): { readonly real: string; readonly exists: boolean; readonly planted?: string } {
  const left = path.split(sep)
  let [real, links] = ['/', 0]
  for (let name = left.shift(); name !== undefined; name = left.shift()) {
    const next = join(real, name)
    const found = lstatSync(next, { throwIfNoEntry: false })
    if (!found) return { real: join(next, ...left), exists: false }
    if (!found.isSymbolicLink()) {
      real = next
      continue
    }
    if (planters.some((folder) => isWithin(real, folder))) return { real: next, exists: true, planted: next }
    links += 1
    if (links > linksAtMost) throw new Error(`${path} leads in a circle`)
    const target = readlinkSync(next)
    left.unshift(...target.split(sep))
    if (isAbsolute(target)) real = '/'
  }
  return { real, exists: true }
}

function make(path: string, isFolder: boolean): void {
  if (isFolder || extname(path) === '') return void mkdirSync(path, { recursive: true })
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, '', { flag: 'wx' })
}

const byLength = (paths: readonly string[]): readonly string[] => [...paths].sort((left, right) => left.length - right.length)

/** The path itself where nothing is there. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path
    throw error
  }
}
