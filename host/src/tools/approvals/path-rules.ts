import { lstatSync, realpathSync } from 'node:fs'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { expandHome } from '../shell/expand-home.ts'
import type { Danger } from './dangers.ts'
import { createPathJudge, loginDanger, secretsInside, usualLogins, within } from './judge-path.ts'

export interface PathRules {
  /** Absolute, with `~` meant as the user's folder. */
  resolve(path: string, from: string): string
  /** `refuse`: never. A danger: ask. Nothing: go on. */
  judge(path: string, use: 'read' | 'write'): Promise<'refuse' | Danger | undefined>
  /** The same for a program that reads all that lies below. */
  judgeTree(path: string): Promise<'refuse' | Danger | undefined>
  /** A path as written and as it really is. */
  spellings(path: string): Promise<readonly string[]>
  /** True when a pattern like `~/.agent/*.json` takes in a protected file. */
  globFits(pattern: string, use: 'read' | 'write'): boolean
  /** A danger when a pattern like `~/.ss[h]/id_*` takes in login secrets. */
  globReads(pattern: string): Danger | undefined
  /** True when a protected file lies at this path or below it. */
  holdsProtected(path: string): Promise<boolean>
}

export interface PathOptions {
  /** The agent's home; of a profile or the default one. */
  readonly home: string
  readonly userHome: string
  /** Homes of other agents of this user; they are judged like its own. */
  readonly otherHomes?: readonly string[] | undefined
}

/** Which paths tools may not touch. Links and `..` are followed before a path is judged. */
export function createPathRules({ home, userHome, otherHomes = [] }: PathOptions): PathRules {
  const homes = [home, ...otherHomes]
  const roots = [...new Set(homes.map(rootOf))]
  let realHomes: readonly { readonly real: string; readonly named: string }[] | undefined
  const ownFolders = ['.ssh', '.aws', '.kube'].map((name) => join(userHome, name))
  const writeOnly = [...ownFolders, join(userHome, '.netrc'), '/etc/sudoers', '/etc/sudoers.d']
  const secretFiles = [...homes, ...roots].flatMap((folder) => ['.env', 'auth.json', 'gateway.sock'].map((name) => join(folder, name)))
  const loginFiles = usualLogins.map((name) => join(userHome, name))
  const secretPlaces = [...roots, ...secretFolders.map((name) => join(userHome, name))]
  const judges = createPathJudge({ roots, userHome, writeOnly })

  return {
    resolve: (path, from) => resolve(from, expandHome(path, userHome)),
    async judge(path, use) {
      const verdicts = [...new Set(await spellings(path))].map(judges[use])
      return verdicts.includes('refuse') ? 'refuse' : verdicts.find((verdict) => verdict !== undefined)
    },
    globFits(pattern, use) {
      return takesIn(pattern, [...secretFiles, ...(use === 'write' ? writeOnly : [])])
    },
    globReads(pattern) {
      return takesIn(pattern, loginFiles) ? loginDanger : undefined
    },
    spellings,
    async judgeTree(path) {
      const folders = await spellings(path)
      if (folders.some((folder) => roots.some((root) => isOwnHome(folder, root)))) return 'refuse'
      return folders.some((folder) => folder !== '/' && secretPlaces.some((each) => within(each, folder) !== undefined))
        ? secretsInside
        : undefined
    },
    async holdsProtected(path) {
      const folders = await spellings(path)
      const known = [...roots.map((root) => join(root, '.env')), ...writeOnly, ...homes]
      if (holdsOne(folders, known)) return true
      // What is linked to lies elsewhere.
      return holdsOne(folders, known.map(createFollower()))
    },
  }

  /** The path as written and as it really is; a home that is itself a link is judged by both names. */
  async function spellings(path: string): Promise<readonly string[]> {
    const follow = createFollower()
    const real = follow(path)
    realHomes ??= [...roots, userHome].map((named) => ({ named, real: follow(named) }))
    const back = (each: string): string => {
      for (const { named, real: folder } of realHomes ?? []) {
        const inside = within(each, folder)
        if (inside !== undefined) return join(named, inside)
      }
      return each
    }
    return [path, real, back(real)]
  }
}

/** Folders of which nothing is shown unasked, from the user's folder. */
const secretFolders = [
  '.ssh',
  '.aws',
  '.gnupg',
  '.kube',
  '.docker/config.json',
  '.config/gh',
  '.config/gcloud',
  '.mozilla',
  '.password-store',
]

const holdsOne = (folders: readonly string[], paths: readonly string[]): boolean =>
  folders.some((folder) => paths.some((each) => within(each, folder) !== undefined))

/** Whether a pattern of the shell would find one of these, or what lies below it. */
function takesIn(pattern: string, paths: readonly string[]): boolean {
  if (!/[*?[]/.test(pattern)) return false
  const parts = pattern.split('/')
  return paths.some((path) => compilePattern(parts.slice(0, path.split('/').length).join('/')).test(path))
}

/** A shell pattern; a star does not take in a leading dot. */
function compilePattern(pattern: string): RegExp {
  const text = pattern.replaceAll(/\/(?=[*?])|\*+|\?|\[!?[^\]/]+\]|[\s\S]/g, (part, at: number) => {
    if (part === '/' && /[*?]/.test(pattern[at + 1] ?? '')) return '/(?!\\.)'
    if (part.startsWith('*')) return '[^/]*'
    if (part === '?') return '[^/]'
    if (part.length > 1) return isRange(part) ? part.replace('[!', '[^') : '[^/]'
    return part.replaceAll(/[.+^${}()|[\]\\*?]/g, '\\$&')
  })
  return new RegExp(`^${text}(/|$)`)
}

/** `[z-a]` is no range of characters. */
function isRange(part: string): boolean {
  return [...part.matchAll(/([^[])-([^\]])/g)].every(([, from = '', to = '']) => from <= to)
}

/** The agent's home or a profile's, but not what is made for work in it. */
function isOwnHome(path: string, root: string): boolean {
  const inside = within(path, root)
  return inside === '' || inside === 'profiles' || (inside !== undefined && /^profiles\/[^/]+$/.test(inside))
}

/** A profile's home lies in `profiles/<name>` of the default one. */
function rootOf(home: string): string {
  const parent = dirname(home)
  return basename(parent) === 'profiles' ? dirname(parent) : home
}

interface Followed {
  readonly real: string
  readonly exists: boolean
}

/**
 * Follows the links of the nearest existing parent and takes the rest as written. It looks at each folder once and at nothing below a
 * missing one. Each command is judged by it, and most of these paths are not there: a look that is no error costs microseconds, a failure in
 * the background a hundred times that.
 */
function createFollower(): (path: string) => string {
  const found = new Map<string, Followed>()

  function look(path: string): Followed {
    const known = found.get(path) ?? follow(path)
    found.set(path, known)
    return known
  }

  function follow(path: string): Followed {
    const parent = dirname(path)
    if (parent === path) return { real: path, exists: true }
    const above = look(parent)
    const written = joinOne(above.real, basename(path))
    return above.exists ? followLast(written) : { real: written, exists: false }
  }

  return (path) => look(path).real
}

/** `join` of a folder and one name: each part of each path of a command goes through here. */
function joinOne(folder: string, name: string): string {
  const isPlain = folder.length > 1 && folder.startsWith(sep) && name !== '.' && name !== '..'
  return isPlain ? folder + sep + name : join(folder, name)
}

/** Follows the last part of a path of which the parent is no link. */
function followLast(path: string): Followed {
  try {
    const seen = lstatSync(path, { throwIfNoEntry: false })
    return { real: seen?.isSymbolicLink() ? realpathSync(path) : path, exists: seen !== undefined }
  } catch {
    return { real: path, exists: false }
  }
}
