import type { Environment } from './environment/environment.ts'
import type { OverridingVariable } from './file/loaded.ts'
import { findPlatformKey, type PlatformKey, platformKeys } from './schema/platform-keys.ts'
import type { PlatformSection } from './schema/platform-schema.ts'
import type { Config } from './schema/schema.ts'

type Optional = 'dm_policy' | 'unauthorized_dm_behavior' | 'batch_ms' | 'home_channel' | 'toolsets'
type Fixed<Value> = Value extends readonly (infer Item)[] ? readonly Item[] : Value
type Filled<Key extends keyof PlatformSection> = { readonly [Name in Key]: Fixed<NonNullable<PlatformSection[Name]>> }

/** The settings of one platform: variables before config.yaml before defaults. */
export type PlatformSettings = Filled<Exclude<keyof PlatformSection, Optional | 'enabled' | 'extra'>> &
  Readonly<Pick<PlatformSection, Optional>>

/** What does not fit in the settings of one platform. An `error` means that the platform must not run. */
export interface PlatformProblem {
  readonly level: 'error' | 'warning'
  /** The key or the variable. */
  readonly key: string
  readonly problem: string
}

/** What holds for a platform of which nothing is said. */
export const platformDefaults: PlatformSettings = {
  allow_from: [],
  group_allow_from: [],
  group_allowed_chats: [],
  allowed_roles: [],
  allow_admin_from: [],
  group_allow_admin_from: [],
  user_allowed_commands: [],
  group_user_allowed_commands: [],
  group_policy: 'allowlist',
  allowed_channels: [],
  ignored_channels: [],
  require_mention: true,
  strict_mention: false,
  thread_require_mention: false,
  ignore_other_user_mentions: false,
  free_response_channels: [],
  require_mention_channels: [],
  mention_patterns: [],
  observe_unmentioned_group_messages: false,
  allow_bots: 'none',
  bots_require_mention: false,
  channel_prompts: {},
  group_sessions_per_user: true,
  thread_sessions_per_user: false,
  busy_input_mode: 'interrupt',
  reply_prefix: '',
  reply_to_mode: 'first',
  streaming: true,
  reactions: true,
  typing: true,
}

/** The start of the variables of a platform: `SOME_CHAT` for `some-chat`, unless its manifest says otherwise. */
export function variablePrefix(platform: string, environment?: Pick<Environment, 'platform'>): string {
  return environment?.platform(platform)?.prefix ?? platform.toUpperCase().replaceAll('-', '_')
}

/** The variable that holds instead of a key of a platform. */
export function findPlatformVariable(
  platform: string,
  key: PlatformKey,
  environment: Pick<Environment, 'platform' | 'source'>,
): OverridingVariable | undefined {
  const home = key.key === 'home_channel' ? environment.platform(platform)?.home : undefined
  const prefix = variablePrefix(platform, environment)
  for (const name of [...(home === undefined ? [] : [home]), ...key.suffixes.map((suffix) => `${prefix}_${suffix}`)]) {
    const source = environment.source(name)
    if (source) return { name, source }
  }
  return undefined
}

/** The value that a variable gives a key such as `platforms.<id>.require_mention`; undefined where it does not fit. */
export function readPlatformVariable(key: string, text: string): unknown {
  return findPlatformKey(key.split('.').at(-1) ?? '')?.reading.read(text)
}

export interface PlatformSources {
  readonly config: Pick<Config, 'platforms' | 'display'>
  readonly environment: Environment
}

/** Everything that is set for a platform, and what is wrong with it. What does not fit is left out. */
export function readPlatformSettings(
  { config, environment }: PlatformSources,
  platform: string,
): { settings: PlatformSettings; problems: readonly PlatformProblem[] } {
  const { enabled: _enabled, extra: _extra, ...written } = config.platforms[platform] ?? {}
  const problems: PlatformProblem[] = []
  const read: Record<string, unknown> = {}
  for (const key of platformKeys) {
    const variable = findPlatformVariable(platform, key, environment)
    if (!variable) continue
    const value = key.reading.read(environment.reference(variable.name) ?? '')
    if (value === undefined)
      problems.push({ level: 'warning', key: variable.name, problem: `must be ${key.reading.wanted}; it is not used` })
    else read[key.key] = value
  }
  const set = Object.fromEntries(Object.entries({ ...written, ...read }).filter(([, value]) => value !== undefined))
  const settings: PlatformSettings = {
    ...platformDefaults,
    busy_input_mode: config.display.busy_input_mode,
    ...set,
    reply_prefix: readHeader(set.reply_prefix, environment.platform(platform)?.header),
  }
  return { settings, problems: [...problems, ...findOpenDoors(platform, settings)] }
}

/** The standard header where nothing is set; a written `\n` breaks the line, because no variable can. */
function readHeader(written: unknown, standard = ''): string {
  return typeof written === 'string' ? written.replaceAll('\\n', '\n') : standard
}

/** A person who opens a platform to everybody says so twice. */
function findOpenDoors(platform: string, settings: PlatformSettings): readonly PlatformProblem[] {
  const doors = [
    ['dm_policy', settings.dm_policy, 'allow_from', settings.allow_from],
    ['group_policy', settings.group_policy, 'group_allow_from', settings.group_allow_from],
  ] as const
  return doors
    .filter(([, policy, , people]) => policy === 'open' && !people.includes('*'))
    .map(([key, , list]) => ({ level: 'error', key: `platforms.${platform}.${key}`, problem: `is open, which needs "*" in ${list}` }))
}
