import type { InboundMessage, OutboundMessage, Wire, WireError } from '@agent/plugin-sdk'
import type { Selectable } from 'kysely'
import type { ChildNote, Claim, ClaimedSend, ConversationRef, Failure, PostedPart, Step } from '../../journal.ts'
import type { InboxTable, OutboxTable } from '../engine/tables.ts'
import { formatWire, parseWire } from '../engine/wire-json.ts'

// What is parsed here was written by the journal itself, so that its shape is known.

/** What is kept of a message, and of the child agent that it stands for. */
export function readBody(body: string): { readonly message: InboundMessage; readonly child?: ChildNote } {
  const { child, ...message } = JSON.parse(body) as InboundMessage & { readonly child?: ChildNote }
  return child ? { message, child } : { message }
}

export function toClaim(row: Selectable<InboxTable>, steps: readonly { body: string }[], preview: Claim['preview']): Claim {
  return {
    seq: row.seq,
    owner: row.owner ?? '',
    attempts: row.attempts,
    crashes: row.crashes,
    platform: row.platform,
    ...readBody(row.body),
    receivedAt: row.received_at,
    steps: steps.map(({ body }) => parseWire(body) as unknown as Step),
    ...(preview && { preview }),
  }
}

/** Begins the keys of rows that say that something may be missing. */
export const markKey = 'mark:'

export function toSend(row: Selectable<OutboxTable>, edits: string | null): ClaimedSend {
  const message: OutboundMessage = {
    key: row.key,
    account: row.account,
    conversation: row.conversation,
    text: row.text,
    part: { index: row.part, total: row.total },
    ...(row.kind === 'preview' && { preview: true as const }),
    ...(row.reply_to !== null && { replyTo: row.reply_to }),
    ...(row.media !== null && { media: JSON.parse(row.media) as NonNullable<OutboundMessage['media']> }),
    ...(row.buttons !== null && { buttons: JSON.parse(row.buttons) as NonNullable<OutboundMessage['buttons']> }),
  }
  return {
    seq: row.seq,
    owner: row.owner ?? '',
    attempts: row.attempts,
    platform: row.platform,
    message,
    firstTriedAt: row.tried_at ?? 0,
    ...(edits !== null && { edits }),
    ...(row.doubt !== null && { doubt: row.doubt }),
    ...(row.key.startsWith(markKey) && { isMark: true as const }),
  }
}

const postedStates = { pending: 'waiting', sending: 'waiting', sent: 'sent', unknown: 'unknown', failed: 'refused' } as const

export function toPosted(row: Pick<Selectable<OutboxTable>, 'part' | 'total' | 'state' | 'platform_id' | 'error'>): PostedPart {
  return {
    part: row.part,
    total: row.total,
    state: postedStates[row.state],
    ...(row.platform_id !== null && { platformId: row.platform_id }),
    ...(row.error !== null && { error: parseError(row.error) }),
  }
}

interface FailedRow extends ConversationRef {
  readonly seq: number
  readonly error: string | null
  readonly settled_at: number | null
}

export function toFailedTurn({ body, ...row }: FailedRow & { readonly body: string }): Failure {
  const { message, child } = readBody(body)
  const { text, sender } = message
  return { type: 'turn', ...placed(row), text: child?.goal ?? text, sender: sender.name ?? sender.id }
}

export function toFailedSend({ text, ...row }: FailedRow & { readonly text: string }): Failure {
  return { type: 'send', ...placed(row), text, sender: '' }
}

function placed({ error, settled_at, ...row }: FailedRow): Omit<Failure, 'type' | 'text' | 'sender'> {
  return { ...row, error: parseError(error), at: settled_at ?? 0 }
}

export function parseError(text: string | null): WireError {
  return text === null ? { code: 'SEND_UNKNOWN', params: {} } : (JSON.parse(text) as WireError)
}

/** A provider's own block in a step may hold bytes. */
export function formatStep(step: Step): string {
  return formatWire(step as unknown as Wire)
}
