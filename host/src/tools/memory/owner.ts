import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { InboundMessage } from '@agent/plugin-sdk'
import type { Config } from '#config/schema/schema.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'

/** The owner of the profile: at the terminal, in the dashboard, over the API, and where the settings name him on a platform. */
export const profileOwner = 'owner'

/** What decides about it; ids are the platform's, names are nobody's proof. */
export interface Spoken {
  readonly platform: string
  readonly message: Pick<InboundMessage, 'account' | 'conversation' | 'sender'>
  /** `source`: a program speaks there, and who makes it speak is not known. */
  readonly gate: 'sender' | 'source'
}

/**
 * Whose memory a message of a platform may use. In a direct message it is the person's, everywhere else the conversation's: what is said there, all of
 * them read. `owners` are people who are the owner of the profile, `platform:id`.
 */
export function ownerOf({ platform, message: { account, conversation, sender }, gate }: Spoken, owners: readonly string[]): string {
  if (conversation.kind !== 'dm' || gate === 'source') return keyOf('group', platform, account, conversation.id)
  const names = [sender.id, ...(sender.aliases ?? [])].map((id) => `${platform}:${id}`)
  return owners.some((name) => names.includes(name.trim())) ? profileOwner : keyOf('person', platform, account, sender.id)
}

/** Whose memory the answer to a message may use, by the settings of now. */
export function ownerOfMessage(
  { catalog, loaded }: { readonly catalog: Pick<Catalog, 'find'>; readonly loaded: { readonly config: Pick<Config, 'memory'> } },
  { platform, message }: Pick<Spoken, 'platform' | 'message'>,
): string {
  // What came from a platform that is gone is nobody's word.
  const gate = catalog.find('platform', platform)?.spec.gate ?? 'source'
  return ownerOf({ platform, message, gate }, loaded.config.memory.owners)
}

/** Whom a request door of a platform answers that reaches people: each of its sessions has an owner to itself. */
export function sessionOwner(platform: string, session: string): string {
  return keyOf('session', platform, '', session)
}

function keyOf(...parts: readonly string[]): string {
  return parts.map((part) => part.replace(/[%:]/g, (sign) => (sign === ':' ? '%3A' : '%25'))).join(':')
}

/** The folder of an owner below `memories`. No part of an id is part of a path: a person chooses his own name. */
export function folderOf(memories: string, owner: string): string {
  if (owner === profileOwner) return memories
  return join(memories, 'others', createHash('sha256').update(owner).digest('hex').slice(0, 32))
}

/** The owner as people know him. */
export function describeOwner(owner: string): string {
  if (owner === profileOwner) return 'you'
  const [kind = '', platform = '', , id = ''] = owner
    .split(':')
    .map((part) => part.replace(/%(3A|25)/g, (_, code) => (code === '3A' ? ':' : '%')))
  return `the ${kind} ${id} on ${platform}`
}
