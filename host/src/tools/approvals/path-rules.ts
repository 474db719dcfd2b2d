import { realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { expandHome } from '../shell/expand-home.ts'
import type { Danger } from './dangers.ts'
import { createPathJudge, secretsInside, within } from './judge-path.ts'

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
  /** True when a protected file lies at this path or below it. */
  holdsProtected(path: string): Promise<boolean>
}

export interface PathOptions {
  /** The agent's home; of a profile or the default one. */
  readonly home: string
  readonly userHome: string
}

/** Which paths tools may not touch. Links and `..` are followed before a path is judged. */
export function createPathRules({ home, userHome }: PathOptions): PathRules {
  const root = rootOf(home)
  let realHomes: Promise<readonly [root: string, user: string]> | undefined
  const ownFolders = ['.ssh', '.aws', '.kube'].map((name) => join(userHome, name))
  const writeOnly = [...ownFolders, join(userHome, '.netrc'), '/etc/sudoers', '/etc/sudoers.d']
  const judges = createPathJudge({ root, userHome, writeOnly })

  return {
    resolve: (path, from) => resolve(from, expandHome(path, userHome)),
    async judge(path, use) {
      const verdicts = [...new Set(await spellings(path))].map(judges[use])
      return verdicts.includes('refuse') ? 'refuse' : verdicts.find((verdict) => verdict !== undefined)
    },
    globFits(pattern, use) {
      if (!/[*?[]/.test(pattern)) return false
      const parts = pattern.split('/')
      const fits = { test: (path: string) => compilePattern(parts.slice(0, path.split('/').length).join('/')).test(path) }
      const secrets = [home, root].flatMap((folder) => ['.env', 'auth.json', 'gateway.sock'].map((name) => join(folder, name)))
      return [...secrets, ...(use === 'write' ? writeOnly : [])].some((path) => fits.test(path))
    },
    spellings,
    async judgeTree(path) {
      const folders = await spellings(path)
      if (folders.some((folder) => isOwnHome(folder, root))) return 'refuse'
      const secrets = [root, join(userHome, '.ssh'), join(userHome, '.aws'), join(userHome, '.gnupg')]
      return folders.some((folder) => folder !== '/' && secrets.some((each) => within(each, folder) !== undefined))
        ? secretsInside
        : undefined
    },
    async holdsProtected(path) {
      const known = [join(root, '.env'), ...writeOnly, home]
      const all = (await Promise.all(known.map(spellings))).flat()
      return (await spellings(path)).some((folder) => all.some((each) => within(each, folder) !== undefined))
    },
  }

  /** The path as written and as it really is; a home that is itself a link is judged by both names. */
  async function spellings(path: string): Promise<readonly string[]> {
    const real = await realPath(path)
    realHomes ??= Promise.all([realPath(root), realPath(userHome)])
    const [realRoot, realUser] = await realHomes
    const back = (each: string): string => {
      const inRoot = within(each, realRoot)
      if (inRoot !== undefined) return join(root, inRoot)
      const inUser = within(each, realUser)
      return inUser === undefined ? each : join(userHome, inUser)
    }
    return [path, real, back(real)]
  }
}

/** A shell pattern; a star does not take in a leading dot. */
function compilePattern(pattern: string): RegExp {
  const text = pattern.replaceAll(/\/(?=[*?])|\*+|\?|\[!?[^\]/]+\]|[\s\S]/g, (part, at: number) => {
    if (part === '/' && /[*?]/.test(pattern[at + 1] ?? '')) return '/(?!\\.)'
    if (part.startsWith('*')) return '[^/]*'
    if (part === '?') return '[^/]'
    if (part.length > 1) return part.replace('[!', '[^')
    return part.replaceAll(/[.+^${}()|[\]\\*?]/g, '\\$&')
  })
  return new RegExp(`^${text}(/|$)`)
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

/** Follows the links of the nearest existing parent; the rest is taken as written. */
async function realPath(path: string): Promise<string> {
  const rest: string[] = []
  for (let at = path; ; at = dirname(at)) {
    const real = await realpath(at).catch(() => undefined)
    if (real !== undefined) return join(real, ...rest)
    if (dirname(at) === at) return path
    rest.unshift(basename(at))
  }
}
