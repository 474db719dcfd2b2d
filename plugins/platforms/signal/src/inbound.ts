import type { Attachment, InboundMessage, MediaKind } from '@agent/plugin-sdk'
import { formatMessageId, type Person, personId } from './address.ts'
import type { Envelope, SignalAttachment, SignalMention, SignalMessage } from './wire.ts'

export interface Receiver {
  /** Who we are; without the uuid nobody can mention us by it. */
  readonly self: { readonly number: string; readonly uuid: string | undefined }
  /** Whether this is what we sent. */
  readonly isOwn: (timestamp: number, text: string) => boolean
}

/** What somebody said, or we to ourselves from another device. Undefined for everything else: receipts, reactions, edits, calls. */
export function readMessage(envelope: Envelope, receiver: Receiver): InboundMessage | undefined {
  const { self } = receiver
  const from = { uuid: envelope.sourceUuid, number: envelope.sourceNumber }
  const { dataMessage, syncMessage } = envelope
  if (dataMessage && !isSelf(from, self)) return describeMessage(dataMessage, from, envelope.sourceName, receiver)
  const sent = syncMessage?.sentMessage
  if (!sent || sent.timestamp === undefined || sent.groupInfo || receiver.isOwn(sent.timestamp, sent.message ?? '')) return undefined
  const isNote = isSelf({ uuid: sent.destinationUuid, number: sent.destinationNumber }, self)
  return isNote ? describeMessage({ ...sent, timestamp: sent.timestamp }, self, envelope.sourceName, receiver) : undefined
}

const isSelf = ({ uuid, number }: Person, self: Receiver['self']): boolean =>
  number === self.number || (self.uuid !== undefined && uuid === self.uuid)

type Name = string | null | undefined

function describeMessage(message: SignalMessage, from: Person, name: Name, { self }: Receiver): InboundMessage | undefined {
  const { timestamp, groupInfo: group, quote } = message
  const id = personId(from)
  const media = (message.attachments ?? []).map(describeAttachment)
  const { text, mentioned, others } = readText(message, self)
  if (id === undefined || message.reaction || message.remoteDelete || (text === '' && media.length === 0)) return undefined
  const quoted = quote && { uuid: quote.authorUuid, number: quote.authorNumber }
  const author = quoted && personId(quoted)
  const toUs = mentioned || (quoted !== undefined && quoted !== null && isSelf(quoted, self))
  return {
    id: formatMessageId(id, timestamp),
    account: self.number,
    conversation: group ? { id: group.groupId, kind: 'group', ...withName(group.groupName) } : { id, kind: 'dm', ...withName(name) },
    sender: { id, ...withName(name), ...withAlias(from), isBot: false },
    text,
    addressed: !group || toUs,
    mentions: { self: mentioned, others },
    ...(quote && author && { replyTo: { id: formatMessageId(author, quote.id), ...(quote.text && { text: quote.text }), sender: author } }),
    ...(media.length > 0 && { media }),
    sentAt: timestamp,
  }
}

const withName = (name: Name): { name?: string } => (name ? { name } : {})
const withAlias = ({ uuid, number }: Person): { aliases?: string[] } => (uuid && number ? { aliases: [number] } : {})

/** Where somebody is mentioned the text has one sign that says nothing. */
function readText({ message, mentions }: SignalMessage, self: Receiver['self']): { text: string; mentioned: boolean; others: boolean } {
  const all = [...(mentions ?? [])].sort((one, other) => other.start - one.start)
  const isOurs = (mention: SignalMention): boolean => isSelf(mention, self)
  // From the end, so that what is cut does not move what is still to be read.
  const replace = (text: string, mention: SignalMention): string =>
    text.slice(0, mention.start) + (isOurs(mention) ? '' : `@${personId(mention) ?? ''}`) + text.slice(mention.start + mention.length)
  const mentioned = all.some(isOurs)
  const text = all.reduce(replace, message ?? '').trim()
  return {
    text: mentioned ? text.replace(/^[\s,:]+/, '').replace(/ {2,}/g, ' ') : text,
    mentioned,
    others: all.some((mention) => !isOurs(mention)),
  }
}

const kinds: readonly (readonly [prefix: RegExp, kind: MediaKind])[] = [
  [/^image\//, 'image'],
  [/^audio\//, 'audio'],
  [/^video\//, 'video'],
]

/** A voice message is sound without a name. */
function describeAttachment({ id, contentType, filename, size }: SignalAttachment): Attachment {
  const mime = contentType ?? 'application/octet-stream'
  const kind = kinds.find(([prefix]) => prefix.test(mime))?.[1] ?? 'document'
  return {
    id,
    kind: kind === 'audio' && !filename ? 'voice' : kind,
    mime,
    ...withName(filename),
    ...(typeof size === 'number' && { bytes: size }),
  }
}
