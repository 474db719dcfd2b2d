import type { InboundMessage } from '@agent/plugin-sdk'
import { variablePrefix } from '#config/platform-settings.ts'
import { foldCase, type Person } from '../pairing/rules.ts'

export interface AccessOptions {
  /** Id of the platform's contribution. */
  readonly platform: string
  /** Reads an environment variable. */
  readonly variable: (name: string) => string | undefined
  /** `platforms.<id>.allow_from`; the platform's variable shadows it. */
  readonly allowFrom: readonly string[] | undefined
  /** Whether the owner approved the person's pairing code. */
  readonly isApproved: (person: Person) => boolean
}

/** Why somebody may talk to the agent. */
export type Ground = 'platform-open' | 'platform-list' | 'paired' | 'gateway-list' | 'gateway-open'

const grounds: readonly (readonly [Ground, (message: InboundMessage, options: AccessOptions) => boolean])[] = [
  ['platform-open', (_, { platform, variable }) => isOn(variable(`${variablePrefix(platform)}_ALLOW_ALL_USERS`))],
  ['platform-list', ({ sender }, options) => isListed(sender.id, platformList(options))],
  // Who was let in from a direct message may talk there. In a room others read the answers, so the owner has to list them.
  ['paired', ({ account, sender, conversation }, { isApproved }) => conversation.kind === 'dm' && isApproved({ account, user: sender.id })],
  ['gateway-list', ({ sender }, options) => isListed(sender.id, gatewayList(options))],
  ['gateway-open', (_, { variable }) => isOn(variable('GATEWAY_ALLOW_ALL_USERS'))],
]

/** The first ground on which the sender is let in; undefined is a refusal. */
export function findGround(message: InboundMessage, options: AccessOptions): Ground | undefined {
  return grounds.find(([, holds]) => holds(message, options))?.[0]
}

/** Whether the owner has said by name who may write here; then others are not offered a code. */
export function hasList(options: AccessOptions): boolean {
  return platformList(options).length > 0 || gatewayList(options).length > 0
}

function platformList({ platform, variable, allowFrom = [] }: AccessOptions): readonly string[] {
  const written = variable(`${variablePrefix(platform)}_ALLOWED_USERS`)
  return withoutBlanks(written === undefined ? allowFrom : written.split(','))
}

function gatewayList({ variable }: AccessOptions): readonly string[] {
  return withoutBlanks((variable('GATEWAY_ALLOWED_USERS') ?? '').split(','))
}

function withoutBlanks(names: readonly string[]): readonly string[] {
  return names.map((name) => name.trim()).filter((name) => name !== '')
}

function isListed(sender: string, names: readonly string[]): boolean {
  return names.includes('*') || names.some((name) => foldCase(name) === foldCase(sender))
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && ['1', 'true', 'yes', 'on'].includes(value.toLowerCase())
}
