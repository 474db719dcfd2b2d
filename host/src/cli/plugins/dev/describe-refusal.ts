import type { InboundMessage } from '@agent/plugin-sdk'
import type { PlatformSettings } from '#config/platform-settings.ts'
import type { Verdict } from '#gateway/authorise/gates.ts'
import type { LogEntry } from '../see/log-entry.ts'

/** A message that was not answered, as the gateway writes it down. */
export interface RefusedMessage {
  readonly platform: string
  readonly sender: string
  readonly conversation: string
  readonly kind: InboundMessage['conversation']['kind']
  /** Of the conversation that it is a thread of. */
  readonly parent: string | undefined
  /** A verdict of the gates, or the words of a plugin that refuses. */
  readonly verdict: string
}

/** A setting of a platform that would have let the message in. */
interface Wish {
  readonly key: keyof PlatformSettings
  readonly value: string | boolean | readonly string[]
}

interface Explained {
  readonly why: string
  readonly wishes: readonly Wish[]
}

type Explain = (refusal: RefusedMessage, settings: PlatformSettings) => Explained

/** Says how a setting is made where the plugin runs. */
export type FormSetting = (key: string, value: string) => string

/** Undefined for a line that tells of something else. */
export function readRefusal({ message, fields }: LogEntry): RefusedMessage | undefined {
  if (message !== 'a message was not answered') return undefined
  const { parent } = fields
  return {
    platform: String(fields.platform),
    sender: String(fields.sender),
    conversation: String(fields.conversation),
    kind: String(fields.kind) as RefusedMessage['kind'],
    parent: typeof parent === 'string' ? parent : undefined,
    verdict: String(fields.verdict),
  }
}

/** Who was refused, where, why, and what lets them in; undefined for words of the agent itself, which are nobody's. */
export function describeRefusal(refusal: RefusedMessage, settings: PlatformSettings, formSetting: FormSetting): string | undefined {
  const { platform, sender, conversation, kind, verdict } = refusal
  if (verdict === 'echo') return undefined
  const explain = Object.hasOwn(explanations, verdict) ? explanations[verdict as Exclude<Verdict, 'pass' | 'echo'>] : undefined
  const { why, wishes } = explain?.(refusal, settings) ?? { why: `a plugin refuses it: ${verdict}`, wishes: [] }
  const where = kind === 'dm' ? `in the direct message ${conversation}` : `in the ${kind} ${conversation}`
  const helps = wishes.map(({ key, value }) =>
    formSetting(`platforms.${platform}.${key}`, typeof value === 'object' ? JSON.stringify(value) : String(value)),
  )
  return [`Refused on ${platform}: ${sender} ${where}: ${why}.`, ...helps.map((help) => `    To let them in: ${help}`)].join('\n')
}

const isDirect = ({ kind }: RefusedMessage): boolean => kind === 'dm'

function letIn(refusal: RefusedMessage, settings: PlatformSettings): readonly Wish[] {
  const [list, policy] = isDirect(refusal) ? (['allow_from', 'dm_policy'] as const) : (['group_allow_from', 'group_policy'] as const)
  const listed: Wish = { key: list, value: [...settings[list], refusal.sender] }
  return settings[policy] === 'disabled' ? [{ key: policy, value: 'allowlist' }, listed] : [listed]
}

const isOff = (refusal: RefusedMessage, settings: PlatformSettings): boolean =>
  settings[isDirect(refusal) ? 'dm_policy' : 'group_policy'] === 'disabled'

const explanations: Readonly<Record<Exclude<Verdict, 'pass' | 'echo'>, Explain>> = {
  stranger: (refusal, settings) => ({ why: 'nobody has let them in, so they get a code', wishes: letIn(refusal, settings) }),
  'not-allowed': (refusal, settings) => ({
    why: isOff(refusal, settings)
      ? `${isDirect(refusal) ? 'dm_policy' : 'group_policy'} is disabled`
      : `nobody has let them in ${isDirect(refusal) ? 'for direct messages' : 'for rooms'}`,
    wishes: letIn(refusal, settings),
  }),
  elsewhere: (refusal, settings) => {
    const ids = ['*', refusal.conversation, refusal.parent]
    const { allowed_channels: allowed, ignored_channels: ignored } = settings
    return ignored.some((id) => ids.includes(id))
      ? {
          why: 'ignored_channels has this conversation',
          wishes: [{ key: 'ignored_channels', value: ignored.filter((id) => !ids.includes(id)) }],
        }
      : { why: 'allowed_channels does not have it', wishes: [{ key: 'allowed_channels', value: [...allowed, refusal.conversation] }] }
  },
  'from-a-bot': (_, { allow_bots: bots }) =>
    bots === 'none'
      ? { why: 'it is a bot, and allow_bots is none', wishes: [{ key: 'allow_bots', value: 'all' }] }
      : { why: 'it is a bot and does not name the agent', wishes: [] },
  'bot-loop': () => ({ why: 'bots have said too much to each other; they are heard again in a while', wishes: [] }),
  'not-addressed': () => ({ why: 'the message does not name the agent', wishes: [{ key: 'require_mention', value: false }] }),
}
