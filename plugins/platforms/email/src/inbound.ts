import type { InboundMessage } from '@agent/plugin-sdk'
import { isVouched } from './authentication.ts'
import { isAgentMessageId } from './message-id.ts'
import { cutHistory } from './own-words.ts'
import type { Settings } from './settings.ts'
import type { FilePart } from './structure.ts'
import { formatFileId, type Head, type Place, type Thread } from './wire.ts'

/** Stands before the id of a sender whom nobody vouches for, so that no list of addresses names him. */
export const unverified = 'unverified:'

const longestText = 50_000

const machines = /^(no-?_?reply|do-?_?not-?_?reply|mailer-daemon|postmaster|bounces?|abuse|listserv|majordomo)([+.=-].*)?$/

const lists = ['list-id', 'list-unsubscribe', 'list-post', 'x-auto-response-suppress', 'x-autoreply', 'x-autorespond']

/** Whether a machine, a list or an agent wrote it, which nobody should answer. */
export function isByMachine({ from: { address }, messageId = '', all }: Head, ownAddress: string): boolean {
  const first = (name: string): string => all(name)[0]?.trim().toLowerCase() ?? ''
  return (
    address === ownAddress ||
    isAgentMessageId(messageId) ||
    machines.test(address.slice(0, address.lastIndexOf('@'))) ||
    first('return-path') === '<>' ||
    first('content-type').startsWith('multipart/report') ||
    !/^(no\b|$)/.test(first('auto-submitted')) ||
    /^(bulk|list|junk)\b/.test(first('precedence')) ||
    lists.some((name) => all(name).length > 0)
  )
}

export interface Letter {
  readonly head: Head
  readonly texts: readonly string[]
  readonly files: readonly FilePart[]
  readonly place: Place
}

type Receiver = Pick<Settings, 'address' | 'authservId' | 'config'>

/** What somebody wrote, and what an answer has to refer to. Undefined for a letter without any content. */
export function readLetter(
  { head, texts, files, place }: Letter,
  receiver: Receiver,
): { readonly message: InboundMessage; readonly thread: Thread } | undefined {
  const { address, name } = head.from
  const media = receiver.config.skip_attachments
    ? []
    : files.map(({ part, ...file }) => ({ id: formatFileId({ ...place, part }), ...file }))
  const text = joinText(head, texts)
  if (text === '' && media.length === 0) return undefined
  const sender = isTrusted(head, receiver) ? address : `${unverified}${address}`
  const id = head.messageId ?? `${place.validity}/${place.uid}/${place.mailbox}`
  return {
    thread: {
      conversation: sender,
      id,
      ...(head.messageId === undefined ? {} : { messageId: head.messageId }),
      references: head.references.slice(-20),
      subject: head.subject,
    },
    message: {
      id,
      account: receiver.address,
      // A forged letter must not come into the conversation of the person whom it names.
      conversation: { id: sender, kind: 'dm', ...(name === '' ? {} : { name }) },
      sender: { id: sender, ...(name === '' ? {} : { name }), isBot: false },
      text,
      addressed: true,
      ...(head.inReplyTo === undefined ? {} : { replyTo: { id: head.inReplyTo } }),
      ...(media.length === 0 ? {} : { media }),
      ...(head.sentAt === undefined ? {} : { sentAt: head.sentAt }),
    },
  }
}

function isTrusted(head: Head, { authservId, config }: Receiver): boolean {
  if (!head.isSingle) return false
  if (config.trust_from) return true
  return authservId !== undefined && isVouched(head.all('authentication-results'), authservId, head.from.address)
}

function joinText({ subject, inReplyTo, references }: Head, texts: readonly string[]): string {
  const [first = '', ...more] = texts.filter((text) => text !== '')
  // What the agent wrote itself it knows; a history of others it may have been let into is new to it.
  const own = inReplyTo !== undefined && isAgentMessageId(inReplyTo) ? cutHistory(first) : first
  const body = [own, ...more].join('\n\n').trim()
  const isNew = inReplyTo === undefined && references.length === 0
  const whole = isNew && subject !== '' ? `[Subject: ${subject}]\n\n${body}`.trim() : body
  return whole.length > longestText ? `${whole.slice(0, longestText)}\n[The rest was cut.]` : whole
}
