import * as z from 'zod/mini'

const text = z.string()
const ids = z.optional(z.array(z.string()))
const flag = z.optional(z.boolean())

export const strangerRule = z.enum(['pair', 'ignore'])
export const busyMode = z.enum(['interrupt', 'queue', 'steer'])

/** `platforms.<id>`: what the gateway does with a platform, whichever it is. */
export const platformSchema = z.strictObject({
  enabled: flag,
  /** Ids of the people who may write; `*` is everybody. */
  allow_from: ids,
  group_allow_from: ids,
  /** Conversations whose members may all write. */
  group_allowed_chats: ids,
  allowed_roles: ids,
  allow_admin_from: ids,
  group_allow_admin_from: ids,
  user_allowed_commands: ids,
  group_user_allowed_commands: ids,
  dm_policy: z.optional(z.enum(['open', 'allowlist', 'pairing', 'disabled'])),
  group_policy: z.optional(z.enum(['open', 'allowlist', 'disabled'])),
  unauthorized_dm_behavior: z.optional(strangerRule),
  /** Rooms that are listened to; empty is all. */
  allowed_channels: ids,
  ignored_channels: ids,
  require_mention: flag,
  strict_mention: flag,
  thread_require_mention: flag,
  ignore_other_user_mentions: flag,
  free_response_channels: ids,
  require_mention_channels: ids,
  mention_patterns: z.optional(z.union([z.array(z.string()), text])),
  observe_unmentioned_group_messages: flag,
  allow_bots: z.optional(z.enum(['none', 'mentions', 'all'])),
  bots_require_mention: flag,
  /** Said to the model beside messages of one conversation. */
  channel_prompts: z.optional(z.record(z.string(), text)),
  group_sessions_per_user: flag,
  thread_sessions_per_user: flag,
  busy_input_mode: z.optional(busyMode),
  batch_ms: z.optional(z.int().check(z.minimum(0), z.maximum(60_000))),
  /** Names of toolsets, or of sets in the block `toolsets`, that conversations of this platform have; absent: all. */
  toolsets: ids,
  reply_prefix: z.optional(text),
  reply_to_mode: z.optional(z.enum(['off', 'first', 'all'])),
  streaming: flag,
  reactions: flag,
  typing: flag,
  home_channel: z.optional(text),
  /** Checked against the plugin's manifest. */
  extra: z.optional(z.record(z.string(), z.unknown())),
})

export type PlatformSection = z.output<typeof platformSchema>
