import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { writeFileAtomic } from './atomic-file.ts'
import { activeProfile, ensureFolder, type Home, homeOf, openHome } from './home.ts'
import { defaultProfile, isProfileName } from './profile-name.ts'

export interface ProfileRow {
  readonly name: string
  readonly path: string
  /** Used when neither -p nor AGENT_HOME says anything. */
  readonly active: boolean
}

type ProcessEnvironment = Readonly<Record<string, string | undefined>>

function rootOf(environment: ProcessEnvironment): string {
  return openHome({ environment, profile: defaultProfile, create: false }).root
}

/** Whether a word of the command line names a profile. */
export function profileExists(environment: ProcessEnvironment, name: string): boolean {
  if (name === defaultProfile) return true
  return isProfileName(name) && existsSync(homeOf(rootOf(environment), name).path)
}

/** The default profile first, then the others by name. */
export function listProfiles(environment: ProcessEnvironment): readonly ProfileRow[] {
  const root = rootOf(environment)
  const active = activeProfile(root)
  const folder = join(root, 'profiles')
  const found = existsSync(folder) ? readdirSync(folder).filter((name) => isProfileName(name) && isFolder(join(folder, name))) : []
  return [defaultProfile, ...found.sort()].map((name) => ({ name, path: homeOf(root, name).path, active: name === active }))
}

/** Every home that an agent of this user may have: this one, its profiles, and the usual one beside it. */
export function listHomes({ root, path }: Pick<Home, 'root' | 'path'>, environment: ProcessEnvironment): readonly string[] {
  return [...new Set([root, path, ...listProfiles(environment).map((row) => row.path), usualHome(environment)])]
}

/** The home that an agent of this user has where no variable names another. */
export function usualHome(environment: ProcessEnvironment): string {
  return openHome({ environment: { ...environment, AGENT_HOME: undefined }, profile: defaultProfile, create: false }).path
}

/** Makes a home for the name: an empty one, or what `fill` puts into it. It is there as a whole or not at all. */
export function createProfile(environment: ProcessEnvironment, name: string, fill?: (folder: string) => void): Home {
  const home = freeHome(environment, name)
  if (!fill) {
    ensureFolder(home.path)
    return home
  }
  const folder = stagingFolder(home)
  try {
    fill(folder)
    renameSync(folder, home.path)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  return home
}

/** Where a profile is put together before it gets its name; no profile is called so. */
export function stagingFolder({ root, profile }: Pick<Home, 'root' | 'profile'>): string {
  return ensureFolder(join(root, 'profiles', `.new-${profile}-${process.pid}`))
}

/** Makes it the one that is used when nothing else is said. */
export function chooseProfile(environment: ProcessEnvironment, name: string): Home {
  const home = findProfile(environment, name)
  const file = join(home.root, 'active_profile')
  if (name === defaultProfile) rmSync(file, { force: true })
  else writeFileAtomic(file, `${name}\n`)
  return home
}

/** Moves the home of a profile; a sticky choice of it goes along. */
export function renameProfile(environment: ProcessEnvironment, name: string, wished: string): Home {
  const home = findResting(environment, name, 'renamed')
  const target = freeHome(environment, wished)
  renameSync(home.path, target.path)
  if (activeProfile(home.root) === name) chooseProfile(environment, wished)
  return target
}

/** Removes the profile with everything in it; a sticky choice of it goes too. */
export function deleteProfile(environment: ProcessEnvironment, name: string): void {
  const home = findResting(environment, name, 'deleted')
  rmSync(home.path, { recursive: true, force: true })
  if (activeProfile(home.root) === name) rmSync(join(home.root, 'active_profile'), { force: true })
}

/** The home of a profile that can be taken away: not the default one, and no gateway runs in it. */
export function findResting(environment: ProcessEnvironment, name: string, deed: 'renamed' | 'deleted'): Home {
  if (name === defaultProfile) throw fail('USAGE', { problem: `The default profile cannot be ${deed}.`, try: 'agent profile list' })
  const home = findProfile(environment, name)
  const running = existsSync(home.files.gatewayPid) ? readFileSync(home.files.gatewayPid, 'utf8') : ''
  if (isAlive(running)) {
    const isServed = /"servedBy":\s*"/.test(running)
    const problem = isServed
      ? `The gateway of the default profile serves profile "${name}".`
      : `The gateway of profile "${name}" is running.`
    throw fail('USAGE', { problem, try: `agent -p ${name} gateway stop` })
  }
  return home
}

/** Where a profile of this name would be; there is none yet. */
export function freeHome(environment: ProcessEnvironment, name: string): Home {
  const home = homeOf(rootOf(environment), name)
  if (name === defaultProfile || existsSync(home.path)) {
    throw fail('USAGE', { problem: `There is already a profile named "${name}".`, try: `agent -p ${name} chat` })
  }
  return home
}

/** The home of a profile that exists. */
export function findProfile(environment: ProcessEnvironment, name: string): Home {
  return openHome({ environment, profile: name, create: false })
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

function isAlive(pidFile: string): boolean {
  const pid = /\d+/.exec(pidFile)?.[0]
  if (pid === undefined) return false
  try {
    process.kill(Number(pid), 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
