import type { Button, Call, InboundMessage, PlatformManifest, TurnRequest } from '@agent/plugin-sdk'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { createFakeClock, type FakeClock } from '@agent/plugin-sdk/testing'
import type { BackgroundPlace } from '#agent/delegation/background.ts'
import type { HostEvent } from '#agent/notifiers/plugin-notifiers.ts'
import type { TurnEnd } from '#agent/turn/turn.ts'
import type { EndedTurn, TurnDoor } from '#agent/turn/turns.ts'
import { openEnvironment } from '#config/environment/environment.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { ensureFolder, homeOf } from '#config/home/home.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { HookDispatcher } from '#kernel/hooks/hooks.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { Journal } from '#store/journal.ts'
import type { Sessions } from '#store/sessions.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import { createEchoes } from '../authorise/echoes.ts'
import type { InboxOptions } from '../inbound/inbox-parts.ts'
import { type Inbox, openInbox } from '../inbound/open-inbox.ts'
import { openMediaCache } from '../media/media-cache.ts'
import { openReplies } from '../outbound/replies.ts'
import { createMessageHooks } from '../rules/message-hooks.ts'
import { createPatience } from '../rules/patience.ts'
import { openPlatformRules } from '../rules/platform-rules.ts'
import { talkConnection, talkSpec } from './talk.ts'

export interface InboxRig extends AsyncDisposable {
  readonly clock: FakeClock
  readonly inbox: Inbox
  readonly journal: Journal
  readonly sessions: Sessions
  /** What the agent was asked, in order. */
  readonly asked: readonly TurnRequest[]
  /** What left so far, in order. */
  sent(): Promise<readonly string[]>
  /** Buttons of the last message that had some. */
  buttons(): readonly Button[]
  say(text: string, more?: Partial<InboundMessage>): Promise<void>
  /** Lets the oldest turn that waits go on. */
  goOn(): void
  /** Where child agents are kept that turns have left working. */
  readonly left: readonly BackgroundPlace[]
  /** What notifiers were to hear. */
  readonly announced: readonly HostEvent[]
  /** Conversations that were noted in the directory. */
  readonly noted: readonly unknown[]
  /** Texts of the messages that were dropped or answered are gone; how many are open still. */
  open(): Promise<number>
}

export interface RigOptions {
  readonly variables?: Readonly<Record<string, string>>
  readonly spec?: Parameters<typeof talkSpec>[0]
  readonly config?: Partial<Loaded['config']>
  /** What the connection of the platform does; absent: it is not connected. */
  readonly connection?: Parameters<typeof talkConnection>[1]
  /** What ann has said before it opens. */
  readonly stored?: readonly string[]
  /** Hooks of plugins; none when absent. */
  readonly hooks?: HookDispatcher
  /** None when absent. */
  readonly skills?: InboxOptions['services']['skills']
  /** Commands of a plugin, and what runs those without a prompt. */
  readonly commands?: { readonly list: readonly object[]; readonly run: InboxOptions['services']['runCommand'] }
}

/**
 * The inbound half of a gateway over a real store, for one platform `talk` in which `ann` may write. The agent answers `<text>!`;
 * asked to `wait` it stops until it may go on or is interrupted, then it takes what was added; asked to `ask` it wants an approval; asked to `fall back` another model answers; asked to `go wrong` it fails;
 * asked to `leave` it leaves a child agent working, whose task is what stands behind that word.
 */
export async function openInboxRig({
  variables = {},
  spec: change = {},
  config = {},
  connection,
  commands,
  skills = { known: () => [], view: async () => '', bundle: async () => Promise.reject(new Error('none')) },
  stored = [],
  hooks: given,
}: RigOptions = {}): Promise<InboxRig> {
  const place = await createTemporaryStore()
  const clock = createFakeClock()
  const store = await place.open({ clock })
  await store.leases.hold('boot', 'boot', 10 ** 9)
  for (const text of stored) await store.journal.accept('talk', messageOf(text, text, {}))
  const spec = talkSpec(change)
  const loaded = {
    config: { ...defaultConfig, ...config },
    environment: openEnvironment({ TALK_ALLOWED_USERS: 'ann', ...variables }),
  } as Loaded
  const home = homeOf(place.folder, 'default')
  ensureFolder(home.files.workspace)
  const rules = openPlatformRules({ home, loaded, log: silentLog })
  const agent = scriptedAgent()
  const noted: unknown[] = []
  const announced: HostEvent[] = []
  const hooks = createMessageHooks(given ?? { has: () => false, call: async () => undefined as never }, silentLog)
  const catalog = catalogOf(spec, commands?.list ?? [])
  const cache = openMediaCache(home.files.cache, clock)
  const replies = openReplies({
    ...{ home, cache, log: silentLog },
    catalog,
    rules,
    resolve: async () => ({ type: 'local' }),
  })
  const inbox = await openInbox({
    ...{ home, loaded, store, rules, clock, log: silentLog, owner: 'boot', echoes: createEchoes(), replies, cache, turns: agent },
    catalog,
    patience: createPatience({ catalog, clock }),
    services: {
      ...{ sessions: store.sessions, usage: store.usage, catalog, version: '1.2.3', runCommand: commands?.run, skills },
      setHome: async () => undefined,
      agents: (session: string) => (session === 'ses_1' ? [{ number: 1, goal: 'count', doing: '', calls: 0 }] : []),
    } as unknown as InboxOptions['services'],
    messageHooks: hooks,
    notifiers: { announce: async (event) => void announced.push(event) },
    directory: { note: async (...about: readonly unknown[]) => void noted.push(about) },
    links: new Map([['talk', { connection: () => connection && talkConnection(spec, connection) }]]),
  })
  const outbox = drainOutbox(store.journal)
  let count = 0
  return {
    ...{
      clock,
      inbox,
      journal: store.journal,
      sessions: store.sessions,
      asked: agent.asked,
      sent: outbox.sent,
      buttons: outbox.buttons,
      goOn: agent.goOn,
      left: agent.left,
      noted,
      announced,
    },
    async say(text, more = {}) {
      const message = messageOf(`${++count}`, text, more)
      const result = await store.journal.accept('talk', message)
      if (result.status === 'accepted') inbox.arrive({ platform: 'talk', message, seq: result.seq })
    },
    open: async () => (await store.journal.pending()).reduce((sum, { inbox: waiting }) => sum + waiting, 0),
    async [Symbol.asyncDispose]() {
      await inbox.close()
      await place[Symbol.asyncDispose]()
    },
  }
}

function messageOf(id: string, text: string, more: Partial<InboundMessage>): InboundMessage {
  const people = { conversation: { id: 'ann', kind: 'dm' }, sender: { id: 'ann', name: 'Ann', isBot: false } } as const
  return { id, account: 'bot', text, addressed: true, ...people, ...more }
}

function catalogOf(spec: PlatformManifest, list: readonly object[]): Catalog {
  const contribution = { kind: 'platform', id: spec.id, spec }
  const commands = { kind: 'commands', id: 'dice', spec: { commands: list } }
  const all = [contribution, commands]
  return {
    plugins: [],
    contributions: () => all,
    of: (kind: string) => all.filter((each) => each.kind === kind),
    find: () => contribution,
  } as unknown as Catalog
}

function drainOutbox(journal: Journal): { sent: () => Promise<readonly string[]>; buttons: () => readonly Button[] } {
  const texts: string[] = []
  let buttons: readonly Button[] = []
  return {
    sent: async () => {
      for (let send = await journal.claimSend('boot'); send; send = await journal.claimSend('boot')) {
        texts.push(send.message.text)
        buttons = send.message.buttons ?? buttons
        await journal.settleSend(send, { status: 'sent', platformId: `p${send.seq}` })
      }
      return texts
    },
    buttons: () => buttons,
  }
}

function scriptedAgent() {
  const asked: TurnRequest[] = []
  const left: BackgroundPlace[] = []
  const waiting: (() => void)[] = []
  const questions = new Map<string, (value: string) => void>()
  async function leave(text: string, background: TurnDoor['background']): Promise<void> {
    const [, goal] = /^leave (.*)/.exec(text) ?? []
    const about = { session: `ses_left${left.length}`, root: `ses_${asked.length}`, spawned: left.length + 1 }
    if (goal && background) left.push(await background().keep({ ...about, goal }))
  }
  async function take(request: TurnRequest, { signal }: Call, { hear, steer, background }: TurnDoor): Promise<EndedTurn> {
    asked.push(request)
    const text = request.input.map((part) => (part.type === 'text' ? part.text : '')).join('')
    hear({ type: 'message.start', turn: 'trn', session: `ses_${asked.length}`, provider: 'p', model: 'm' })
    if (/think/.test(text)) for (const part of ['It is\n', 'MEDIA:x.'] as const) hear({ type: 'reasoning.delta', text: part })
    const said: string[] = []
    if (/wait/.test(text)) {
      await Promise.race([new Promise<void>((resolve) => waiting.push(resolve)), aborted(signal)])
      said.push(...((await steer?.()) ?? []))
    }
    await leave(text, background)
    if (/\bask\b/.test(text) && request.canAnswer) {
      const id = `q${asked.length}`
      const answer = new Promise<string>((resolve) => questions.set(id, resolve))
      const about = { tool: 'terminal', subject: 'rm -r /', reason: 'It deletes.' }
      hear({ type: 'approval.request', id, ...about, choices: ['once', 'always', 'deny'] })
      said.push(await Promise.race([answer, aborted(signal).then(() => 'nobody')]))
    }
    if (/go wrong/.test(text)) return { ...failedEnd, rows: null, release: () => undefined }
    return { ...endOf([`${text}!`, ...said].join(' '), signal), rows: null, release: () => undefined }
  }
  return {
    asked,
    left,
    take,
    goOn: () => waiting.shift()?.(),
    answer: async (id: string, value: string): Promise<boolean> => {
      const give = questions.get(id)
      questions.delete(id)
      give?.(value)
      return give !== undefined
    },
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

const failedEnd: TurnEnd = {
  ...{ text: '', status: 'failed', stop: 'stop', messages: [], calls: 1, notes: [] },
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 },
  error: toWireError(fail('MODEL_BILLING', { provider: 'p', detail: 'no money' })),
}

function endOf(text: string, signal: AbortSignal): TurnEnd {
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
  const end = { stop: 'stop', messages: [], usage, calls: 1, notes: [] } as const
  if (!signal.aborted) return { ...end, text, status: 'complete', notes: /fall back/.test(text) ? ['near/small answered.'] : [] }
  return { ...end, text: 'so far', status: 'interrupted', error: toWireError(fail('INTERRUPTED')) }
}
