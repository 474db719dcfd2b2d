import { existsSync, mkdirSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { fileReason, readText } from '#kernel/read-text.ts'
import { defaultProfile, isProfileName } from './profile-name.ts'

export interface HomeFiles {
  readonly config: string
  readonly env: string
  readonly state: string
  readonly auth: string
  readonly gatewayState: string
  readonly gatewayPid: string
  readonly logs: string
  readonly pluginsLocal: string
  readonly pluginsLock: string
  /** What the manifests of plugins said when they were last read. */
  readonly pluginManifests: string
  readonly pluginsStore: string
  readonly pluginsData: string
  /** What is kept of the lists of plugins that organisations sign. */
  readonly pluginCatalogs: string
  readonly workspace: string
  /** Who the agent is, in the words of its owner. */
  readonly identity: string
  readonly cache: string
  readonly modelCatalog: string
  readonly skillIndex: string
  readonly memories: string
  /** Changes that wait for an approval. */
  readonly pending: string
  readonly skills: string
  /** Which skills the agent has made. */
  readonly skillsMade: string
  /** Which skills were installed from elsewhere, and as what. */
  readonly skillLock: string
  /** Which secrets people gave to which skill. */
  readonly skillGrants: string
  /** Lists of skills that are followed together. */
  readonly skillBundles: string
  /** Which skills came with the program, and as what. */
  readonly bundledSkills: string
  /** Where this file lies, none of them is put into the home. */
  readonly noBundledSkills: string
  readonly cron: string
  readonly checkpoints: string
  /** What is said in browsers and not stored yet. */
  readonly chats: string
  readonly pairing: string
}

/** Where one profile keeps everything. Paths are absolute. */
export interface Home {
  readonly path: string
  /** `default` for the root itself. */
  readonly profile: string
  /** The home that holds the profiles; the same as `path` for the default profile. */
  readonly root: string
  readonly files: HomeFiles
}

export interface HomeOptions {
  readonly environment?: Readonly<Record<string, string | undefined>>
  readonly profile?: string | undefined
  /** Makes the folder when it is missing; on unless false. */
  readonly create?: boolean
  readonly platform?: NodeJS.Platform
}

// The product's folder before it was renamed.
const legacyFolder = '.agent-agent'

/** Finds the home: the wished profile, else AGENT_HOME, else the profile that `active_profile` names. */
export function openHome(options: HomeOptions = {}): Home {
  const environment = options.environment ?? process.env
  const given = environment.AGENT_HOME
  const start = given
    ? fromPath(resolve(given))
    : { root: defaultRoot(environment, options.platform ?? process.platform), profile: undefined }
  const profile = options.profile ?? start.profile ?? (given ? defaultProfile : activeProfile(start.root))
  const home = homeOf(start.root, profile)
  if (home.profile !== defaultProfile && !existsSync(home.path)) throw fail('PROFILE_NOT_FOUND', { profile })
  if (options.create !== false) ensureFolder(home.path)
  return home
}

/** The paths of one profile of a home, made or not. */
export function homeOf(root: string, profile: string): Home {
  if (profile !== defaultProfile && !isProfileName(profile)) throw fail('PROFILE_NAME_INVALID', { profile })
  const path = profile === defaultProfile ? root : join(root, 'profiles', profile)
  const at = (...parts: string[]): string => join(path, ...parts)
  const files: HomeFiles = {
    config: at('config.yaml'),
    env: at('.env'),
    state: at('state.db'),
    auth: at('auth.json'),
    gatewayState: at('gateway_state.json'),
    gatewayPid: at('gateway.pid'),
    logs: at('logs'),
    pluginsLocal: at('plugins', 'local'),
    pluginsLock: at('plugins', 'plugins.lock.json'),
    pluginManifests: at('cache', 'manifests.json'),
    pluginsStore: at('plugins', 'store'),
    pluginsData: at('plugins', 'data'),
    pluginCatalogs: at('plugins', 'catalogs'),
    workspace: at('workspace'),
    identity: at('SOUL.md'),
    cache: at('cache'),
    modelCatalog: at('cache', 'model-catalog.json'),
    skillIndex: at('skills', '.index.json'),
    memories: at('memories'),
    pending: at('pending'),
    skills: at('skills'),
    skillLock: at('skills', '.hub', 'lock.json'),
    skillsMade: at('skills', '.made.json'),
    skillGrants: at('skills', '.grants.json'),
    skillBundles: at('skill-bundles'),
    bundledSkills: at('skills', '.bundled_manifest'),
    noBundledSkills: at('.no-bundled-skills'),
    cron: at('cron'),
    checkpoints: at('checkpoints'),
    chats: at('chats'),
    pairing: at('platforms', 'pairing'),
  }
  return { path, profile, root, files }
}

/** The profile that is used when nothing else is said. */
export function activeProfile(root: string): string {
  return readText(join(root, 'active_profile'), { mostBytes: 4096 })?.trim() || defaultProfile
}

/** Makes a folder that only its owner may enter; one that exists is left as it is. */
export function ensureFolder(path: string): string {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 })
    if (!statSync(path).isDirectory()) throw new Error('it is not a folder')
  } catch (error) {
    throw fail('HOME_UNUSABLE', { path, reason: fileReason(error) }, { cause: error })
  }
  return path
}

function fromPath(path: string): { root: string; profile: string | undefined } {
  const parent = dirname(path)
  if (basename(parent) !== 'profiles' || !isProfileName(basename(path))) return { root: path, profile: undefined }
  return { root: dirname(parent), profile: basename(path) }
}

function defaultRoot(environment: Readonly<Record<string, string | undefined>>, platform: NodeJS.Platform): string {
  const user = environment.HOME || homedir()
  const usual = platform === 'win32' ? join(environment.LOCALAPPDATA || join(user, 'AppData', 'Local'), 'agent') : join(user, '.agent')
  const legacy = join(user, legacyFolder)
  return !existsSync(usual) && existsSync(legacy) ? legacy : usual
}
