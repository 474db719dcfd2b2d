import type { InboundMessage, Sender } from '@agent/plugin-sdk'
import { type PlatformSettings, variablePrefix } from '#config/platform-settings.ts'
import { parseWord } from '#config/schema/words.ts'
import { foldCase } from '#kernel/fold-case.ts'
import type { Person } from '../pairing/rules.ts'

export interface AccessOptions {
  /** Id of the platform's contribution. */
  readonly platform: string
  /** Start of the platform's variables. */
  readonly prefix?: string
  readonly settings: PlatformSettings
  /** Reads an environment variable. */
  readonly variable: (name: string) => string | undefined
  /** Whether the owner approved the person's pairing code. */
  readonly isApproved: (person: Person) => boolean
  /** `source`: the platform has checked by its own means that what comes in may be answered. */
  readonly gate?: 'sender' | 'source'
}

/** Why somebody may talk to the agent. */
export type Ground =
  | 'checked-source'
  | 'platform-open'
  | 'platform-list'
  | 'room-list'
  | 'paired'
  | 'role'
  | 'room'
  | 'gateway-list'
  | 'gateway-open'

type Holds = (message: InboundMessage, options: AccessOptions) => boolean

const grounds: readonly (readonly [Ground, Holds])[] = [
  ['checked-source', (_, { gate }) => gate === 'source'],
  ['platform-open', (_, options) => isOn(options.variable(`${prefixOf(options)}_ALLOW_ALL_USERS`))],
  ['platform-list', ({ sender }, { settings }) => isListed(sender, settings.allow_from)],
  ['room-list', (message, { settings }) => isRoom(message) && isListed(message.sender, settings.group_allow_from)],
  // Who was let in from a direct message may talk there. In a room others read the answers, so the owner has to list them.
  ['paired', (message, options) => !isRoom(message) && options.settings.dm_policy !== 'allowlist' && isPaired(message, options)],
  ['role', (message, { settings }) => isRoom(message) && settings.allowed_roles.some((role) => message.sender.roles?.includes(role))],
  // Everybody in a listed room is let in there, and nowhere else.
  ['room', (message, { settings }) => isRoom(message) && isIn(message, settings.group_allowed_chats)],
  ['gateway-list', ({ sender }, options) => isListed(sender, gatewayList(options))],
  ['gateway-open', (_, { variable }) => isOn(variable('GATEWAY_ALLOW_ALL_USERS'))],
]

/** Grounds on which the owner knows the person, not only the room they are in. */
const personal: ReadonlySet<Ground> = new Set(['checked-source', 'platform-list', 'room-list', 'paired', 'gateway-list'])

/** The first ground on which the sender is let in; undefined is a refusal. */
export function findGround(message: InboundMessage, options: AccessOptions): Ground | undefined {
  const { dm_policy: direct, group_policy: room } = options.settings
  if (options.gate !== 'source' && (isRoom(message) ? room : direct) === 'disabled') return undefined
  return grounds.find(([, holds]) => holds(message, options))?.[0]
}

/** Whether the owner has let in this very person, by id. A star, a role or a room says nothing about who it is. */
export function isKnown(message: InboundMessage, options: AccessOptions): boolean {
  const { settings } = options
  const named = { ...settings, allow_from: withoutStar(settings.allow_from), group_allow_from: withoutStar(settings.group_allow_from) }
  return grounds.some(([ground, holds]) => {
    if (!personal.has(ground)) return false
    if (ground === 'paired') return isPaired(message, options)
    if (ground === 'gateway-list') return isListed(message.sender, withoutStar(gatewayList(options)))
    return holds(message, { ...options, settings: named })
  })
}

/** Whether the owner has said by name who may write here; then others are not offered a code. */
export function hasList(options: AccessOptions): boolean {
  return options.settings.allow_from.some((name) => name.trim() !== '') || gatewayList(options).length > 0
}

/** A setting that lets people in, and whom. */
export interface Admission {
  /** Its key below `platforms.<id>`, or the variable. */
  readonly by: string
  readonly who: readonly string[]
}

const lists = [
  'allow_from',
  'group_allow_from',
  'allowed_roles',
  'group_allowed_chats',
  'allow_admin_from',
  'group_allow_admin_from',
] as const

/** Who is let in, or has more rights, by the settings; who was let in by a code is not among them. */
export function listAdmissions(options: Omit<AccessOptions, 'isApproved'>): readonly Admission[] {
  const open = [`${prefixOf(options)}_ALLOW_ALL_USERS`, 'GATEWAY_ALLOW_ALL_USERS'].filter((name) => isOn(options.variable(name)))
  const named = lists.map((by) => ({ by, who: options.settings[by] }))
  return [
    ...named.filter(({ who }) => who.length > 0),
    ...[{ by: 'GATEWAY_ALLOWED_USERS', who: gatewayList(options) }].filter(({ who }) => who.length > 0),
    ...open.map((by) => ({ by, who: ['everybody'] })),
  ]
}

/** Whether others read along. */
export function isRoom({ conversation }: Pick<InboundMessage, 'conversation'>): boolean {
  return conversation.kind !== 'dm'
}

/** Whether a conversation, or the one that it is a thread of, is listed. */
export function isIn({ conversation }: Pick<InboundMessage, 'conversation'>, ids: readonly string[]): boolean {
  const { id, parent } = conversation
  return ids.some((each) => each === '*' || each === id || (parent !== undefined && each === parent))
}

/** Whether somebody is listed, by any of the ids that the platform vouches for. */
export function isListed({ id, aliases = [] }: Pick<Sender, 'id' | 'aliases'>, names: readonly string[]): boolean {
  const wanted = names.map((name) => name.trim()).filter((name) => name !== '')
  return wanted.includes('*') || wanted.some((name) => [id, ...aliases].some((own) => foldCase(own) === foldCase(name)))
}

function isPaired({ account, sender }: InboundMessage, { isApproved }: AccessOptions): boolean {
  return [sender.id, ...(sender.aliases ?? [])].some((user) => isApproved({ account, user }))
}

function gatewayList({ variable }: Pick<AccessOptions, 'variable'>): readonly string[] {
  return (variable('GATEWAY_ALLOWED_USERS') ?? '').split(',').filter((name) => name.trim() !== '')
}

function withoutStar(names: readonly string[]): readonly string[] {
  return names.filter((name) => name.trim() !== '*')
}

function prefixOf({ prefix, platform }: Pick<AccessOptions, 'prefix' | 'platform'>): string {
  return prefix ?? variablePrefix(platform)
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && parseWord(value) === true
}
