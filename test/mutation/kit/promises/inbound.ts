import { createHash } from 'node:crypto'
import type { Attachment, InboundMessage } from '@agent/plugin-sdk'
import {
  alterConnection,
  alterContext,
  alterMessage,
  alterReceive,
  atTime,
  inGroups,
  messaging,
  needs,
  rowsOf,
  type Seed,
} from './fault.ts'

/** The number of the message, from one again after each connect. */
const counted: Seed = alterReceive(() => {
  const numbers = new Map<string, number>()
  return async (message, hand) => {
    const number = numbers.get(message.id) ?? numbers.size + 1
    numbers.set(message.id, number)
    return await hand({ ...message, id: `message-${number}` })
  }
})

const firstPlace: Seed = alterReceive(() => {
  let first: InboundMessage['conversation'] | undefined
  return async (message, hand) => {
    first ??= message.conversation
    return await hand({ ...message, conversation: first })
  }
})

/** The host is busy, or cannot store it; the platform hears that all is well. */
const swallowed: Seed = alterReceive(() => async (message, hand) => {
  await hand(message).catch(() => undefined)
  return { status: 'accepted' }
})

/** Acknowledged before it is stored. */
const early: Seed = alterReceive(() => async (message, hand) => {
  void hand(message).catch(() => undefined)
  return { status: 'accepted' }
})

const busyAsSecond: Seed = alterReceive(() => {
  const again = new Set<string>()
  return async (message, hand) => {
    const told = await hand(again.has(message.id) ? { ...message, id: `${message.id}-again` } : message)
    if (told.status === 'busy') again.add(message.id)
    return told
  }
})

const echo: Seed = alterConnection(({ send }, context) => ({
  send: async (message, call) => {
    const receipt = (await send?.(message, call)) as NonNullable<Awaited<ReturnType<NonNullable<typeof send>>>>
    if (receipt.status !== 'refused') await context.receive(ownWords(message.key, message))
    return receipt
  },
}))

/** Only what is sent by an edit comes back. */
const echoOfEdit: Seed = alterConnection(({ edit }, context) => ({
  edit: async (id, message, call) => {
    const receipt = (await edit?.(id, message, call)) as NonNullable<Awaited<ReturnType<NonNullable<typeof edit>>>>
    await context.receive(ownWords(`${id}-edited`, message))
    return receipt
  },
}))

function ownWords(id: string, { account, conversation, text }: { account: string; conversation: string; text: string }): InboundMessage {
  const place = { id: conversation, kind: 'group' } as const
  return { id, account, conversation: place, sender: { id: account, isBot: false }, text, addressed: true }
}

const withMedia = (change: (file: Attachment) => Attachment): Seed =>
  alterMessage((message) => (message.media ? { ...message, media: message.media.map(change) } : message))

const isGroup = ({ conversation }: InboundMessage): boolean => conversation.kind !== 'dm'

export const inboundFaults = rowsOf('inbound', [
  [
    'twice',
    'the second message of a connection is handed in twice',
    messaging,
    alterReceive(() => {
      const isSecond = atTime(2)
      return async (message, hand) => {
        if (isSecond()) await hand(message)
        return await hand(message)
      }
    }),
  ],
  [
    'dropped',
    'the third message of a connection is acknowledged and never handed in',
    messaging,
    alterReceive(() => {
      const isThird = atTime(3)
      return async (message, hand) => (isThird() ? { status: 'accepted' } : await hand(message))
    }),
  ],
  ['counted-ids', 'ids begin from one again after each connect, so that later messages are taken for earlier ones', messaging, counted],
  [
    'ids-of-text',
    'the id is made of the text, so that a person cannot say the same twice',
    messaging,
    alterMessage((message) => ({ ...message, id: createHash('sha256').update(message.text).digest('hex') })),
  ],
  ['other-id-again', 'what the host was too busy for is offered again under another id', messaging, busyAsSecond],
  ['swallowed', 'what the host could not take is acknowledged', messaging, swallowed],
  ['early', 'a message is acknowledged before it is stored', messaging, early],
  ['cut', 'of a long message the beginning is handed in', messaging, alterMessage((each) => ({ ...each, text: each.text.slice(0, 160) }))],
  [
    'entities',
    'the text keeps the escapes of its way',
    messaging,
    alterMessage((each) => ({ ...each, text: each.text.replaceAll('&', '&amp;').replaceAll('<', '&lt;') })),
  ],
  ['slash', 'a command loses its slash', messaging, alterMessage((message) => ({ ...message, text: message.text.replace(/^\//, '') }))],
  [
    'ascii',
    'signs beyond ASCII are lost',
    messaging,
    alterMessage((message) => ({ ...message, text: Buffer.from(message.text, 'latin1').toString('latin1') })),
  ],
  [
    'no-sender',
    'a message in a group does not say who said it, only where',
    inGroups,
    alterMessage((message) => (isGroup(message) ? { ...message, sender: { ...message.sender, id: message.conversation.id } } : message)),
  ],
  [
    'sender-changes',
    'the same person has another id in each message',
    messaging,
    alterMessage((message) => ({ ...message, sender: { ...message.sender, id: `${message.sender.id}/${message.id}` } })),
  ],
  [
    'person-as-bot',
    'people in groups are told as bots',
    inGroups,
    alterMessage((message) => (isGroup(message) ? { ...message, sender: { ...message.sender, isBot: true } } : message)),
  ],
  [
    'group-as-dm',
    'a group in which the bot is called is told as a direct conversation',
    inGroups,
    alterMessage((message) =>
      isGroup(message) && message.addressed ? { ...message, conversation: { ...message.conversation, kind: 'dm' } } : message,
    ),
  ],
  ['first-place', 'every message is told as said where the first one was', inGroups, firstPlace],
  [
    'mention-lost',
    'a message to the bot in a group is not told as one',
    inGroups,
    alterMessage((message) => (isGroup(message) ? { ...message, addressed: false } : message)),
  ],
  [
    'all-to-bot',
    'what others say among themselves is told as said to the bot',
    inGroups,
    alterMessage((message) => ({ ...message, addressed: true })),
  ],
  [
    'account-of-group',
    'a message in a group names the group as the account',
    inGroups,
    alterMessage((message) => (isGroup(message) ? { ...message, account: message.conversation.id } : message)),
  ],
  [
    'seconds',
    'the time of a message is told in seconds',
    messaging,
    alterMessage((message) => ({ ...message, sentAt: Math.floor((message.sentAt ?? Date.now()) / 1000) })),
  ],
  [
    'thread-lost',
    'a message in a thread is told as said in the conversation above',
    needs('threads'),
    alterMessage((message) => {
      const { kind, parent } = message.conversation
      return kind === 'thread' && parent !== undefined ? { ...message, conversation: { id: parent, kind: 'group' } } : message
    }),
  ],
  [
    'parent-lost',
    'a thread does not say what it belongs to',
    needs('threads'),
    alterMessage((message) => {
      const { parent: _, ...conversation } = message.conversation
      return { ...message, conversation }
    }),
  ],
  ['media-lost', 'a message comes without its file', needs('fetchMedia'), alterMessage(({ media: _, ...message }) => message)],
  [
    'mime-lost',
    'every file is told as bytes of no type',
    needs('fetchMedia'),
    withMedia((file) => ({ ...file, mime: 'application/octet-stream' })),
  ],
  ['picture-as-document', 'a picture is told as a document', needs('fetchMedia'), withMedia((file) => ({ ...file, kind: 'document' }))],
  ['echo', 'the bot hears its own words', messaging, echo],
  ['echo-of-edit', 'the bot hears what it has edited', needs('edit'), echoOfEdit],
  [
    'press-twice',
    'a pressed button is told twice',
    needs('buttons'),
    alterContext(({ press }) => ({
      press: async (pressed) => {
        await press(pressed)
        return await press(pressed)
      },
    })),
  ],
  [
    'press-elsewhere',
    'a pressed button names the person as the conversation',
    needs('buttons'),
    alterContext(({ press }) => ({
      press: (pressed) => press({ ...pressed, conversation: { id: `${pressed.sender.id}-dm`, kind: 'dm' } }),
    })),
  ],
  [
    'press-refused',
    'a refused press takes the buttons away as if it was taken',
    needs('buttons'),
    alterContext(({ press }) => ({ press: async (pressed) => ({ ...(await press(pressed)), status: 'taken' }) })),
  ],
  [
    'uninvited',
    'the bot goes wherever it is invited',
    needs('invitations'),
    alterContext(({ invited }) => ({
      invited: async (invitation) => {
        await invited(invitation)
        return 'join'
      },
    })),
  ],
])
