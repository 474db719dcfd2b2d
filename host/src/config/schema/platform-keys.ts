import type { PlatformSection } from './platform-schema.ts'
import { parseWord } from './words.ts'

/** What a variable's text means for a key; undefined where it does not fit. */
export interface PlatformReading {
  readonly read: (text: string) => unknown
  /** What it must be, in words. */
  readonly wanted: string
}

/** A key of `platforms.<id>` that has a variable, `<PREFIX>_<suffix>`. */
export interface PlatformKey {
  readonly key: Exclude<keyof PlatformSection, 'extra'>
  /** The first that is set counts. */
  readonly suffixes: readonly string[]
  readonly reading: PlatformReading
}

const list: PlatformReading = { read: splitNames, wanted: 'names with commas between them' }
const flag: PlatformReading = { read: parseWord, wanted: 'true or false' }
const text: PlatformReading = { read: (value) => value, wanted: 'text' }
const oneOf = (...words: readonly string[]): PlatformReading => ({
  read: (value) => words.find((word) => word === value.trim().toLowerCase()),
  wanted: `one of ${words.join(', ')}`,
})
const milliseconds: PlatformReading = {
  read: (value) => (/^\d{1,5}$/.test(value.trim()) && Number(value) <= 60_000 ? Number(value) : undefined),
  wanted: 'a whole number up to 60000',
}

const table: readonly (readonly [PlatformKey['key'], PlatformReading, ...string[]])[] = [
  ['allow_from', list, 'ALLOWED_USERS'],
  ['group_allow_from', list, 'GROUP_ALLOWED_USERS'],
  ['group_allowed_chats', list],
  ['allowed_roles', list],
  ['allow_admin_from', list],
  ['group_allow_admin_from', list],
  ['user_allowed_commands', list],
  ['group_user_allowed_commands', list],
  ['dm_policy', oneOf('open', 'allowlist', 'pairing', 'disabled')],
  ['group_policy', oneOf('open', 'allowlist', 'disabled')],
  ['allowed_channels', list, 'ALLOWED_CHANNELS', 'ALLOWED_CHATS', 'ALLOWED_ROOMS'],
  ['ignored_channels', list],
  ['require_mention', flag],
  ['strict_mention', flag],
  ['thread_require_mention', flag],
  ['ignore_other_user_mentions', flag, 'IGNORE_OTHER_USER_MENTIONS', 'IGNORE_NO_MENTION'],
  ['free_response_channels', list, 'FREE_RESPONSE_CHANNELS', 'FREE_RESPONSE_CHATS', 'FREE_RESPONSE_ROOMS'],
  ['require_mention_channels', list],
  ['mention_patterns', text],
  ['observe_unmentioned_group_messages', flag],
  ['allow_bots', oneOf('none', 'mentions', 'all')],
  ['bots_require_mention', flag],
  ['group_sessions_per_user', flag],
  ['thread_sessions_per_user', flag],
  ['busy_input_mode', oneOf('interrupt', 'queue', 'steer')],
  ['batch_ms', milliseconds],
  ['toolsets', list],
  ['reply_prefix', text],
  ['reply_to_mode', oneOf('off', 'first', 'all')],
  ['streaming', flag],
  ['reactions', flag],
  ['typing', flag],
  ['home_channel', text],
]

/** Every key of a platform that a variable can set, whichever platform it is. */
export const platformKeys: readonly PlatformKey[] = table.map(([key, reading, ...suffixes]) => ({
  key,
  reading,
  suffixes: suffixes.length > 0 ? suffixes : [key.toUpperCase()],
}))

export function findPlatformKey(key: string): PlatformKey | undefined {
  return platformKeys.find((one) => one.key === key)
}

function splitNames(value: string): readonly string[] {
  return value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
}
