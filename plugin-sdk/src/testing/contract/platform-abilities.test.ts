import { expect, test } from 'vitest'
import type { Attachment, Button, Conversation, InboundMessage, Mood, OutboundMessage, Receipt } from '../../contract/messages.ts'
import type { Connection, PlatformManifest } from '../../kinds/platform.ts'
import { manifests } from '../broken/manifest.ts'
import { type MailboxContext, mailbox } from '../broken/sound-platform.ts'
import { openMailboxWorld } from '../broken/worlds.ts'
import { openClone } from '../rig/subject.ts'
import { platformContract } from './platform.ts'
import type { PlatformWorld, WorldFile } from './platform-world.ts'

/** A service in memory beside the mailbox, which brings what people say. */
interface Board {
  readonly messages: Map<string, { text: string; buttons: readonly Button[] }>
  readonly marks: Map<string, string>
  readonly files: Map<string, WorldFile>
  menu: readonly string[]
  typings: number
  context?: MailboxContext
}

type Capabilities = Partial<PlatformManifest['capabilities']>
type Change = (sound: Required<Connection>, board: Board) => Partial<Connection>

const gone: Receipt = { status: 'refused', error: { code: 'SEND_REFUSED', params: { platform: 'mailbox', detail: 'it is gone' } } }
const room: Conversation = { id: 'room', kind: 'group' }
const ann = { id: 'ann', isBot: false } as const

function soundOn(board: Board, mail: Connection): Required<Connection> {
  const keep = (id: string, { text, buttons = [] }: OutboundMessage): Receipt => {
    board.messages.set(id, { text, buttons })
    return { status: 'sent', platformId: id }
  }
  return {
    ...(mail as Required<Connection>),
    send: async (message) => keep(`m${board.messages.size + 1}`, message),
    edit: async (id, message) => (board.messages.has(id) ? keep(id, message) : gone),
    typing: async () => {
      board.typings += 1
    },
    react: async ({ id }, mood: Mood) => void board.marks.set(id, mood),
    fetchMedia: async function* ({ id }: Attachment) {
      const { bytes = new Uint8Array() } = board.files.get(id) ?? {}
      for (let at = 0; at < bytes.length; at += 65_536) yield bytes.subarray(at, at + 65_536)
    },
    setCommands: async (commands) => {
      board.menu = commands.map(({ name }) => name)
    },
    listConversations: async () => [room],
  }
}

function partsOf(board: Board): Partial<PlatformWorld> {
  const last = (): { text: string; buttons: readonly Button[] } | undefined => [...board.messages.values()].at(-1)
  let said = 0
  const about = { account: 'bot', conversation: room, sender: ann, addressed: true } as const
  const hear = async (message: Pick<InboundMessage, 'text' | 'media'>): Promise<void> => {
    said += 1
    await board.context?.receive({ ...about, ...message, id: `in${said}` })
  }
  return {
    sent: () => [...board.messages.values()].map(({ text }) => text),
    receiveOne: (text) => hear({ text }),
    receiveFile: async (file) => {
      board.files.set(file.name, file)
      await hear({ text: '', media: [{ id: file.name, kind: 'image', mime: file.mime }] })
    },
    marks: () => [board.marks.get(`in${said}`) ?? []].flat(),
    typings: () => board.typings,
    menu: () => board.menu,
    buttons: () => (last()?.buttons ?? []).map(({ label }) => label),
    press: async (label) => {
      const { id = '' } = last()?.buttons.find((each) => each.label === label) ?? {}
      const answer = await board.context?.press({ account: 'bot', conversation: room, sender: ann, button: id })
      const message = last()
      if (answer?.status === 'taken' && message) setTimeout(() => Object.assign(message, { buttons: [] }), 10)
    },
  }
}

/** What the rule of a capability says of a connection; nothing where it holds. */
async function tryRule(rule: keyof Capabilities, change: Change = () => ({}), also: Capabilities = {}): Promise<string> {
  const declared: Capabilities = { [rule]: true, ...also }
  const board: Board = { messages: new Map(), marks: new Map(), files: new Map(), menu: [], typings: 0 }
  const platforms = manifests.platform.contributes.platforms.map((each) => ({
    ...each,
    capabilities: { ...each.capabilities, ...declared },
  }))
  const manifest = { ...manifests.platform, contributes: { ...manifests.platform.contributes, platforms } }
  const entry = mailbox({
    connection: (mail, context) => {
      board.context = context
      const sound = soundOn(board, mail)
      return { ...sound, ...change(sound, board) }
    },
  })
  const cases = platformContract({
    subject: { kind: 'platform', manifest, contribution: 'mailbox', place: 'clone', open: async () => openClone('platform', entry) },
    patienceMs: 500,
    world: async () => ({ ...(await openMailboxWorld()), ...partsOf(board) }),
  })
  return await (cases.find((one) => one.rule === rule)?.run() ?? Promise.resolve('there is no such rule')).then(
    (untried) => untried ?? '',
    (error: Error) => error.message,
  )
}

const tried = ['edit', 'typing', 'react', 'fetchMedia', 'setCommands', 'listConversations', 'buttons'] as const

test.each(tried)('a sound platform keeps %s', async (rule) => {
  expect(await tryRule(rule)).toBe('')
})

const once = <Args extends readonly unknown[], T>(act: (...args: Args) => T, later: (...args: Args) => T): ((...args: Args) => T) => {
  let count = 0
  return (...args) => {
    count += 1
    return count === 1 ? act(...args) : later(...args)
  }
}

const alwaysTaken =
  (press: MailboxContext['press']): MailboxContext['press'] =>
  async (pressed) => ({ ...(await press(pressed)), status: 'taken' })

const broken: Readonly<Record<string, readonly [rule: keyof Capabilities, change: Change, said: string, also?: Capabilities]>> = {
  'a refused press that takes the buttons away': [
    'buttons',
    (_, { context, messages }) => ({
      send: async (message) => {
        messages.set('m1', { text: message.text, buttons: message.buttons ?? [] })
        if (context) Object.assign(context, { press: alwaysTaken(context.press) })
        return { status: 'sent', platformId: 'm1' }
      },
    }),
    'after an answer there are 0 buttons instead of 2',
  ],
  'a second edit that is lost': [
    'edit',
    ({ edit }) => ({ edit: once(edit, async (platformId): Promise<Receipt> => ({ status: 'sent', platformId })) }),
    'a text that is edited again is not shown',
  ],
  'an edit without its buttons': [
    'edit',
    ({ edit }) => ({ edit: (id, { buttons: _, ...message }, call) => edit(id, message, call) }),
    'after an edit with 1 buttons there are 0',
    { buttons: true },
  ],
  'an edit of what is gone that rejects': [
    'edit',
    ({ edit }, { messages }) => ({
      edit: async (id, message, call) => (messages.has(id) ? await edit(id, message, call) : Promise.reject(new Error('it is gone'))),
    }),
    'an edit of a message that is gone rejects',
  ],
  'an edit of what is gone as done': [
    'edit',
    ({ edit }) => ({
      edit: async (id, message, call) => {
        await edit(id, message, call)
        return { status: 'sent', platformId: id }
      },
    }),
    'an edit of a message that is gone is told as done',
  ],
  'an edit that comes back': [
    'edit',
    ({ edit }, { context }) => ({
      edit: async (id, message, call) => {
        await context?.receive({ id: `${id}-edited`, account: 'bot', conversation: room, sender: ann, addressed: true, text: message.text })
        return await edit(id, message, call)
      },
    }),
    'the bot hears what it has edited',
  ],
  'typing that is seen once': ['typing', ({ typing }) => ({ typing: once(typing, async () => undefined) }), 'only once is it seen'],
  'a failure that is marked as done': [
    'react',
    ({ react }) => ({ react: (message, mood, call) => react(message, mood === 'failed' ? 'done' : mood, call) }),
    'carry the same mark',
  ],
  'a file that comes once': [
    'fetchMedia',
    ({ fetchMedia }) => ({ fetchMedia: once(fetchMedia, async function* () {}) }),
    'of 12 bytes others came',
  ],
  'a large file that is cut': [
    'fetchMedia',
    ({ fetchMedia }) => ({
      fetchMedia: async function* (file, call) {
        for await (const piece of fetchMedia(file, call)) {
          yield piece
          return
        }
      },
    }),
    'of 300000 bytes others came',
  ],
  'a command that stays': [
    'setCommands',
    (_, board) => ({
      setCommands: async (commands) => {
        board.menu = [...board.menu, ...commands.map(({ name }) => name)]
      },
    }),
    'a command that is gone is still in the menu',
  ],
  'a group that is listed as direct': [
    'listConversations',
    () => ({ listConversations: async () => [{ ...room, kind: 'dm' }] }),
    'a conversation is listed as dm, and told as group',
  ],
}

test.each(Object.entries(broken))('%s breaks the rule', async (_, [rule, change, said, also]) => {
  expect(await tryRule(rule, change, also)).toContain(said)
})
