import { realpath } from 'node:fs/promises'
import { basename, dirname, join, relative, resolve, sep } from 'node:path'
import type { Danger } from './dangers.ts'

export interface PathRules {
  /** Absolute, with `~` meant as the user's folder. */
  resolve(path: string, from: string): string
  /** `refuse`: never. A danger: ask. Nothing: go on. */
  judge(path: string, use: 'read' | 'write'): Promise<'refuse' | Danger | undefined>
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

const projectFiles: ReadonlySet<string> = new Set(['.env', '.env.local', '.env.production', '.envrc'])
const homeSecrets = /^(\.env|auth\.json)$/
const homeProtected = /^(\.env|auth\.json|(platforms\/)?pairing(\/.*)?|mcp-tokens(\/.*)?)$/
const homeSettings = /^(config\.yaml|plugins(\/.*)?)$/
/** The environment and the memory of running programs. */
const processSecrets = /^\/proc\/[^/]+\/(task\/[^/]+\/)?(environ|mem)$/

const settingsDanger: Danger = { name: 'agent-settings', sentence: 'it changes the settings or plugins of the agent itself' }
const sshDanger: Danger = { name: 'ssh-config', sentence: 'it changes the SSH configuration' }

/** Which paths tools may not touch. Links and `..` are followed before a path is judged. */
export function createPathRules({ home, userHome }: PathOptions): PathRules {
  const root = rootOf(home)
  let realHomes: Promise<readonly [root: string, user: string]> | undefined
  const ownFolders = ['.ssh', '.aws', '.kube'].map((name) => join(userHome, name))
  const sshConfig = join(userHome, '.ssh', 'config')
  const writeOnly = [...ownFolders, join(userHome, '.netrc'), '/etc/sudoers', '/etc/sudoers.d']

  /** The path inside an agent home, of whichever profile. */
  function insideHome(path: string): string | undefined {
    const inside = within(path, root)
    return inside?.replace(/^profiles\/[^/]+\//, '')
  }

  function judgeOne(path: string, use: 'read' | 'write'): 'refuse' | Danger | undefined {
    const inside = insideHome(path)
    if (processSecrets.test(path) || homeSecrets.test(inside ?? '')) return 'refuse'
    return use === 'read' ? undefined : judgeWrite(path, inside)
  }

  function judgeWrite(path: string, inside: string | undefined): 'refuse' | Danger | undefined {
    if (path === sshConfig) return sshDanger
    if (projectFiles.has(basename(path).toLowerCase()) || homeProtected.test(inside ?? '')) return 'refuse'
    if (writeOnly.some((folder) => within(path, folder) !== undefined)) return 'refuse'
    // In the home itself the next command could name its files without a folder.
    return inside === '' || homeSettings.test(inside ?? '') ? settingsDanger : undefined
  }

  return {
    resolve: (path, from) => resolve(from, path.replace(/^~(?=\/|$)/, userHome)),
    async judge(path, use) {
      const verdicts = [...new Set(await spellings(path))].map((each) => judgeOne(each, use))
      return verdicts.includes('refuse') ? 'refuse' : verdicts.find((verdict) => verdict !== undefined)
    },
    globFits(pattern, use) {
      if (!/[*?[]/.test(pattern)) return false
      const fits = compilePattern(pattern)
      const secrets = ['.env', 'auth.json'].map((name) => join(home, name))
      return [...secrets, ...(use === 'write' ? writeOnly : [])].some((path) => fits.test(path))
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

/** A profile's home lies in `profiles/<name>` of the default one. */
function rootOf(home: string): string {
  const parent = dirname(home)
  return basename(parent) === 'profiles' ? dirname(parent) : home
}

/** The way from a folder to a path in or at it. Upper and lower case count as equal, as some file systems have it. */
function within(path: string, folder: string): string | undefined {
  const way = relative(folder.toLowerCase(), path.toLowerCase())
  if (way === '..' || way.startsWith(`..${sep}`) || way.startsWith(sep)) return undefined
  return way.split(sep).join('/')
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
