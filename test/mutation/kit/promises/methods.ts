import type { Connection, Conversation, Platform, Receipt } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { alterConnection, atTime, messaging, needs, type PromiseFault, rowsOf } from './fault.ts'

const about = { platform: 'platform', detail: 'made up' }
const unknown = (): Receipt => ({ status: 'unknown', error: toWireError(fail('SEND_UNKNOWN', about)) })

type Method<Name extends keyof Connection> = NonNullable<Connection[Name]>

/** Another way for one declared method, made for each connection. */
function altered<Name extends keyof Connection>(name: Name, change: (own: Method<Name>, sound: Connection) => Method<Name>) {
  return alterConnection((sound) => ({ [name]: change(sound[name] as Method<Name>, sound) }))
}

const union = altered('setCommands', (own) => {
  const all = new Map<string, Parameters<typeof own>[0][number]>()
  return async (commands, call) => {
    for (const command of commands) all.set(command.name, command)
    await own([...all.values()], call)
  }
})

const findsAll = altered('findSent', (own) => async (lost, call) => {
  const found = await own(lost, call)
  return found?.status === 'sent' ? found : { status: 'sent', platformId: 'found' }
})

/** Knows only which message was the last. */
const findsLast = alterConnection(({ send, findSent }) => {
  let last: string | undefined
  return {
    send: async (message, call) => {
      const receipt = (await send?.(message, call)) ?? unknown()
      if (receipt.status === 'sent') last = receipt.platformId
      return receipt
    },
    findSent: async (lost, call) => {
      const found = (await findSent?.(lost, call)) ?? null
      return found?.status === 'sent' && last !== undefined ? { ...found, platformId: last } : found
    },
  }
})

async function* half(bytes: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  for await (const piece of bytes) {
    yield piece.subarray(0, Math.ceil(piece.length / 2))
    return
  }
}

/** What is large loses its end. */
async function* atMost(bytes: AsyncIterable<Uint8Array>, most: number): AsyncIterable<Uint8Array> {
  let length = 0
  for await (const piece of bytes) {
    if (length < most) yield piece.subarray(0, most - length)
    length += piece.length
  }
}

async function* nothing(): AsyncIterable<Uint8Array> {
  yield* []
}

const lacksOne = ({ capabilities }: Parameters<PromiseFault['applies']>[0]): boolean =>
  !capabilities.edit || !capabilities.listConversations

const undeclared = alterConnection(({ edit, listConversations }) => ({
  edit: edit ?? (async () => unknown()),
  listConversations: listConversations ?? (async () => []),
}))

const optional = ['edit', 'findSent', 'typing', 'react', 'fetchMedia'] as const

/** The first of those that there are. */
const missing = alterConnection((sound) => {
  const name = optional.find((one) => sound[one] !== undefined)
  return name ? { [name]: undefined } : {}
})

const newIdentity = (sound: Platform): Platform => {
  let count = 0
  return alterConnection(({ identity }) => ({
    identity: async (call) => {
      count += 1
      const self = await (identity as Method<'identity'>)(call)
      return { ...self, id: `${self.id}-${count}` }
    },
  }))(sound)
}

export const methodFaults = rowsOf('method', [
  ['undeclared', 'it has methods that are not declared', (it) => it.door === 'messaging' && lacksOne(it), undeclared],
  ['missing', 'a declared method is not there', ({ capabilities }) => optional.some((one) => capabilities[one]), missing],
  [
    'edit-as-new',
    'an edit sends a new message',
    needs('edit'),
    altered(
      'edit',
      (_, { send }) =>
        async (_id, message, call) =>
          (await send?.(message, call)) ?? unknown(),
    ),
  ],
  [
    'second-edit-lost',
    'only the first edit of a message is shown',
    needs('edit'),
    altered('edit', (own) => {
      const edited = new Set<string>()
      return async (id, message, call) => {
        if (edited.has(id)) return { status: 'sent', platformId: id }
        edited.add(id)
        return await own(id, message, call)
      }
    }),
  ],
  [
    'edit-hides-buttons',
    'an edit leaves out the buttons',
    needs('edit', 'buttons'),
    altered(
      'edit',
      (own) =>
        async (id, { buttons: _, ...message }, call) =>
          await own(id, message, call),
    ),
  ],
  [
    'edit-rejects',
    'an edit of a message that is gone is no receipt, but an error',
    needs('edit'),
    altered('edit', (own) => async (id, message, call) => {
      const receipt = await own(id, message, call)
      if (receipt.status !== 'sent') throw new Error('there is no such message')
      return receipt
    }),
  ],
  [
    'edit-always-sent',
    'an edit of a message that is gone is told as done',
    needs('edit'),
    altered('edit', (own) => async (id, message, call) => {
      await own(id, message, call).catch(() => undefined)
      return { status: 'sent', platformId: id }
    }),
  ],
  ['find-null', 'what arrived is never found', needs('findSent'), altered('findSent', () => async () => null)],
  ['find-unknown', 'nothing is ever known of what arrived', needs('findSent'), altered('findSent', () => async () => unknown())],
  ['find-all', 'what was never sent is found', needs('findSent'), findsAll],
  ['find-other', 'another message is found than was asked for', needs('findSent'), findsLast],
  ['typing-dead', 'nobody sees that the bot is writing', needs('typing'), altered('typing', () => async () => undefined)],
  [
    'typing-once',
    'only the first typing of a connection is shown',
    needs('typing'),
    altered('typing', (own) => {
      const isFirst = atTime(1)
      return async (conversation, call) => {
        if (isFirst()) await own(conversation, call)
      }
    }),
  ],
  [
    'typing-throws',
    'the second typing fails',
    needs('typing'),
    altered('typing', (own) => {
      const isSecond = atTime(2)
      return async (conversation, call) => {
        if (isSecond()) throw new Error('too fast')
        await own(conversation, call)
      }
    }),
  ],
  ['typing-stays', 'people go on seeing that the bot is writing', needs('endTyping'), altered('endTyping', () => async () => undefined)],
  [
    'end-typing-throws',
    'to end what is not shown fails',
    needs('endTyping'),
    altered('endTyping', (own) => {
      const isSecond = atTime(2)
      return async (conversation, call) => {
        if (isSecond()) throw new Error('nobody is writing')
        await own(conversation, call)
      }
    }),
  ],
  [
    'mark-stays',
    'the mark is set once and stays',
    needs('react'),
    altered('react', (own) => {
      const marked = new Set<string>()
      return async (message, mood, call) => {
        if (!marked.has(message.id)) await own(message, mood, call)
        marked.add(message.id)
      }
    }),
  ],
  [
    'mark-of-failure',
    'a turn that failed is marked as done',
    needs('react'),
    altered('react', (own) => async (message, mood, call) => await own(message, mood === 'failed' ? 'done' : mood, call)),
  ],
  ['half-file', 'a file ends in the middle', needs('fetchMedia'), altered('fetchMedia', (own) => (file, call) => half(own(file, call)))],
  [
    'large-file',
    'a large file loses its end',
    needs('fetchMedia'),
    altered('fetchMedia', (own) => (file, call) => atMost(own(file, call), 65_536)),
  ],
  [
    'file-once',
    'a file can be fetched once',
    needs('fetchMedia'),
    altered('fetchMedia', (own) => {
      const fetched = new Set<string>()
      return (file, call) => {
        if (fetched.has(file.id)) return nothing()
        fetched.add(file.id)
        return own(file, call)
      }
    }),
  ],
  ['commands-stay', 'commands that are gone stay in the menu', needs('setCommands'), union],
  ['no-commands', 'the menu is left as it is', needs('setCommands'), altered('setCommands', () => async () => undefined)],
  ['list-empty', 'no conversation is listed', needs('listConversations'), altered('listConversations', () => async () => [])],
  [
    'list-kind',
    'every listed conversation is told as a group',
    needs('listConversations'),
    altered(
      'listConversations',
      (own) => async (call) => (await own(call)).map((each): Conversation => ({ ...each, kind: each.kind === 'dm' ? 'group' : 'dm' })),
    ),
  ],
  ['no-name', 'the bot has no name', messaging, altered('identity', (own) => async (call) => ({ ...(await own(call)), name: '' }))],
  ['new-identity', 'the bot is somebody else each time it is asked', messaging, newIdentity],
  ['heard-now', 'lastHeard is always now', messaging, altered('lastHeard', () => async () => Date.now())],
  [
    'heard-once',
    'lastHeard stays at the first',
    messaging,
    altered('lastHeard', (own) => {
      let first: number | undefined
      return async (call) => {
        first ??= await own(call)
        return first
      }
    }),
  ],
  ['heard-in-seconds', 'lastHeard is in seconds', messaging, altered('lastHeard', (own) => async (call) => (await own(call)) / 1000)],
])
