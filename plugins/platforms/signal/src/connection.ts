import type { Attachment, Call, Connection, Conversation, Mood, Platform, PlatformContext } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { connectWithin, createReceiveQueue, type Life } from '@agent/plugin-sdk/http'
import { formatTarget, parseMessageId, personId } from './address.ts'
import type { Config } from './config.ts'
import { createDaemon, type Daemon, platform } from './daemon.ts'
import { openHeard } from './heard.ts'
import { readMessage } from './inbound.ts'
import { createMemory, type Memory } from './memory.ts'
import { createSender } from './outbound.ts'
import { redactPhones } from './phone.ts'
import { openReception } from './reception.ts'
import { loadSettings } from './settings.ts'
import { type Envelope, results } from './wire.ts'

/** One account of one daemon. */
const signal: Platform<Config> = {
  async connect(context, call) {
    const settings = await loadSettings(context.config, context.secrets)
    const daemon = createDaemon(context, settings)
    return await connectWithin(context, platform, call, async (life) => {
      await daemon.check(life.signal)
      const self = { number: settings.number, uuid: await findUuid(daemon, settings.number, life.signal) }
      const parts = { life, daemon, self, memory: createMemory() }
      await listen(context, parts)
      return open(context, parts)
    })
  },
}

interface Parts {
  readonly life: Life
  readonly daemon: Daemon
  readonly self: { readonly number: string; readonly uuid: string | undefined }
  readonly memory: Memory
}

/** Proves that the account exists there, and learns by which id others mention it. */
async function findUuid(daemon: Daemon, number: string, life: AbortSignal): Promise<string | undefined> {
  const [status] = await daemon.ask('getUserStatus', { recipient: [number] }, results.status, life)
  if (status?.isRegistered === false) throw fail('PLATFORM_AUTH', { platform, detail: 'the account is not registered' })
  return status?.uuid ?? undefined
}

async function listen(context: PlatformContext<Config>, { life, daemon, self, memory }: Parts): Promise<void> {
  const { receive, clock, state, log } = context
  const heard = await openHeard(state, self.uuid ?? 'unknown', clock)
  let room: Promise<void> = Promise.resolve()
  let release = (): void => undefined
  const accept = createReceiveQueue({
    receive,
    clock,
    signal: life.signal,
    // An older daemon keeps nothing, so that reading goes on while the host is busy, as far as that makes sense.
    pause: () => {
      room = new Promise((resolve) => {
        release = resolve
      })
    },
    resume: () => release(),
    onFailure: life.end,
  })
  let handled: Promise<unknown> = Promise.resolve()
  const onEnvelope = async (envelope: Envelope, id: string | undefined): Promise<void> => {
    const message = heard.isOld(envelope) ? undefined : readMessage(envelope, { self, isOwn: memory.isOwn })
    if (message) memory.addText(message.id, message.text)
    const before = message ? accept(message) : handled
    // What could not be handed in ends the connection, and is not remembered as dealt with.
    handled = before.then(() => (id === undefined ? undefined : heard.setLast(id)))
    handled.catch((error: unknown) => log.debug('an event was not dealt with', { error: String(error) }))
    await room
  }
  await openReception({ daemon, life, clock, number: self.number, lastId: heard.lastId, onEnvelope })
}

const marks: Readonly<Record<Mood, string>> = { seen: '👀', done: '✅', failed: '❌' }

function open({ clock, files, log }: PlatformContext<Config>, { life, daemon, self, memory }: Parts): Connection {
  const selfId = personId(self) ?? self.number
  const sender = createSender({ daemon, clock, files, memory, selfId })
  life.serve()
  log.info('connected to Signal')
  return {
    send: sender.send,
    identity: async () => ({ id: selfId, name: redactPhones(self.number) }),
    typing: (conversation, call) => showTyping(daemon, conversation, {}, call),
    endTyping: (conversation, call) => showTyping(daemon, conversation, { stop: true }, call),
    react: async ({ id, conversation }, mood, call) => {
      const message = parseMessageId(id)
      const target = formatTarget(conversation)
      if (!message || !target) return
      // Signal keeps one reaction of each person, so that the new one replaces the old.
      const what = { emoji: marks[mood], targetAuthor: message.author, targetTimestamp: message.timestamp }
      await daemon.ask('sendReaction', { ...target, ...what }, results.anything, call.signal)
    },
    fetchMedia: (attachment, call) => fetchAttachment(daemon, attachment, call),
    listConversations: (call) => listConversations(daemon, call),
    lastHeard: async () => life.lastHeard(),
    close: async (call) => {
      await sender.finish(call.signal)
      life.close()
    },
  }
}

async function showTyping(daemon: Daemon, conversation: string, more: { readonly stop?: true }, { signal }: Call): Promise<void> {
  const target = formatTarget(conversation)
  if (target) await daemon.ask('sendTyping', { ...target, ...more }, results.anything, signal)
}

async function* fetchAttachment(daemon: Daemon, { id }: Attachment, call: Call): AsyncGenerator<Uint8Array> {
  const found = await daemon.ask('getAttachment', { id }, results.attachment, call.signal)
  yield new Uint8Array(Buffer.from(typeof found === 'string' ? found : found.data, 'base64'))
}

async function listConversations(daemon: Daemon, call: Call): Promise<readonly Conversation[]> {
  const groups = await daemon.ask('listGroups', {}, results.groups, call.signal)
  const contacts = await daemon.ask('listContacts', {}, results.contacts, call.signal)
  const named = (name: string | null | undefined): { name?: string } => (name ? { name } : {})
  return [
    ...groups.filter(({ isMember }) => isMember !== false).map(({ id, name }) => ({ id, kind: 'group' as const, ...named(name) })),
    ...contacts.flatMap((contact) => {
      const id = personId(contact)
      return id === undefined ? [] : [{ id, kind: 'dm' as const, ...named(contact.name) }]
    }),
  ]
}

export default signal
