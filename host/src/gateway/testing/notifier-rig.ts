import type { Notice, NotifierEvent, NotifierPost } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { createFakeClock, type FakeClock } from '@agent/plugin-sdk/testing'
import { openEventRows } from '#agent/notifiers/event-rows.ts'
import type { PluginNotifiers } from '#agent/notifiers/plugin-notifiers.ts'
import { openEnvironment } from '#config/environment/environment.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { homeOf } from '#config/home/home.ts'
import { defaultConfig } from '#config/schema/defaults.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { Store } from '#store/store.ts'
import { specOf } from '#store/testing/jobs-contract.ts'
import { createTemporaryStore } from '#store/testing/temporary-store.ts'
import type { WaitingQuestion } from '../conversation/waiting-questions.ts'
import { type NotifierPump, type OpenNotifiersOptions, openNotifiers } from '../notifiers/open-notifiers.ts'
import { openPlatformRules } from '../rules/platform-rules.ts'
import { talkSpec } from './talk.ts'

type Settings = Loaded['config']['notifiers']

export interface NotifierRig extends AsyncDisposable {
  readonly clock: FakeClock
  readonly store: Store
  /** Ids of the events that the notifier was given, in order. */
  readonly heard: readonly string[]
  /** The settings of now. */
  settings: Settings
  /** What the notifier makes of an event; `<name>: <data>` unless said otherwise. Absent: none is there. */
  hear: ((event: NotifierEvent) => Promise<readonly NotifierPost[]>) | undefined
  /** Raises an event of the notifier's plugin. */
  raise(id: string, data: string, session?: string): Promise<void>
  notice(notice: Notice): void
  announce: PluginNotifiers['announce']
  /** Ids of the questions that wait now. */
  readonly questions: Set<string>
  /** A job of Ann's that was due, with a run that has failed. */
  endRun(name: string): Promise<void>
  /** What was queued so far, with the place it goes to; each is taken as sent. */
  sent(): Promise<readonly string[]>
  /** Lets everything that is due be done. */
  settle(): Promise<void>
  open(): Promise<NotifierPump>
}

/**
 * The notifiers of a gateway over a real store and one platform `talk`, on which `home` is the home channel and `ann` a person. One notifier `bell` hears
 * every event of the host and `bell.rung`. The session `ses_ann` is a direct conversation, `ses_room` a group.
 */
export async function openNotifierRig(): Promise<NotifierRig> {
  const place = await createTemporaryStore()
  const clock = createFakeClock(Date.parse('2026-03-01T10:00:00Z'))
  const store = await place.open({ clock })
  const config = { ...defaultConfig, platforms: { talk: { home_channel: 'home' } } }
  const listeners = { raised: new Set<() => void>(), notice: new Set<(notice: Notice) => void>() }
  const texts: string[] = []
  const opened: NotifierPump[] = []
  const heard: string[] = []
  const rows = openEventRows(store.kv)
  const rig: NotifierRig = {
    ...{ clock, store, heard, settings: {}, questions: new Set<string>() },
    hear: async ({ name, data }) => [{ text: `${name}: ${typeof data === 'string' ? data : JSON.stringify(data)}` }],
    raise: async (id, data, session) => {
      await rows.add({ id, name: 'bell.rung', at: clock.now(), data, plugin: 'bell', ...(session === undefined ? {} : { session }) })
      for (const listener of listeners.raised) listener()
    },
    announce: async (event) => {
      await rows.add({ ...event, data: { ...event.data } })
      for (const listener of listeners.raised) listener()
    },
    notice: (notice) => {
      for (const listener of listeners.notice) listener(notice)
    },
    endRun: (name) => endRun(store, name, clock.now()),
    sent: async () => {
      for (let send = await store.journal.claimSend('sender'); send; send = await store.journal.claimSend('sender')) {
        texts.push(`${send.message.conversation}: ${send.message.text}`)
        await store.journal.settleSend(send, { status: 'sent', platformId: `${send.seq}` })
      }
      return texts
    },
    settle: async () => {
      for (let round = 0; round < 30; round++) await clock.advance(0)
    },
    open: async () => {
      const pump = await openNotifiers(optionsOf(rig, { place: place.folder, config, listeners, heard }))
      opened.push(pump)
      await rig.settle()
      return pump
    },
    async [Symbol.asyncDispose]() {
      for (const pump of opened) await pump.close()
      await place[Symbol.asyncDispose]()
    },
  }
  return rig
}

async function endRun({ jobs, leases }: Store, name: string, now: number): Promise<void> {
  await leases.hold('boot', 'boot', 3_600_000)
  const { job } = await jobs.add(specOf({ name, origin: 'agent:main:talk:dm:bot:ann' }), now)
  const claim = await jobs.claim(job.id, { dueAt: now, nextAt: null, collapsed: 0 }, 'boot')
  if (!claim) throw new Error('nothing was claimed')
  const error = { code: 'INTERNAL', params: { detail: 'no water' } }
  await jobs.conclude(claim, { state: 'failed', output: '', session: null, error, delivery: 'none' }, 9)
}

interface Ground {
  readonly place: string
  readonly config: object
  readonly listeners: { readonly raised: Set<() => void>; readonly notice: Set<(notice: Notice) => void> }
  readonly heard: string[]
}

const bell = {
  kind: 'notifier',
  id: 'bell',
  spec: { events: ['job.end', 'background.end', 'subagent.end', 'question.waiting', 'bell.rung'] },
  plugin: { manifest: { id: 'bell' } },
}
const keys: Readonly<Record<string, string>> = {
  ses_ann: 'agent:main:talk:dm:bot:ann',
  ses_room: 'agent:main:talk:group:bot:room:ann',
}

function optionsOf(rig: NotifierRig, { place, config, listeners, heard }: Ground): OpenNotifiersOptions {
  const { clock, store } = rig
  const loaded = {
    get config() {
      return { ...config, notifiers: rig.settings }
    },
    environment: openEnvironment({}),
    overriddenBy: () => undefined,
  } as unknown as Loaded
  const join = <Listener>(all: Set<Listener>, listener: Listener): (() => void) => {
    all.add(listener)
    return () => void all.delete(listener)
  }
  return {
    ...{ store, journal: store.journal, loaded, clock, log: silentLog },
    notifiers: {
      running: () => (rig.hear && rig.settings.bell?.enabled !== false ? [bell as never] : []),
      hear: async (_contribution, event) => {
        heard.push(event.id)
        if (!rig.hear) throw fail('INTERRUPTED')
        return await rig.hear(event)
      },
      announce: rig.announce,
      onRaised: (listener) => join(listeners.raised, listener),
    },
    inbox: { questions: { list: () => [...rig.questions].map((id) => ({ id }) as WaitingQuestion) } },
    onNotice: (listener) => join(listeners.notice, listener),
    catalog: catalogOf(),
    rules: openPlatformRules({ home: homeOf(place, 'default'), loaded, log: silentLog }),
    turns: { keyOf: async (session) => keys[session] },
    directory: {
      list: async () => [
        { id: 'ann', account: 'bot', kind: 'dm', lastSeen: 1 },
        { id: 'room', account: 'bot', kind: 'group', lastSeen: 1 },
        { id: 'home', account: 'bot', kind: 'group', lastSeen: 1 },
      ],
    },
  }
}

function catalogOf(): OpenNotifiersOptions['catalog'] {
  const spec = talkSpec({})
  const all = [{ kind: 'platform', id: spec.id, spec }]
  const find = (kind: string, id: string) => all.find((each) => each.kind === kind && each.id === id)
  return { plugins: [], of: (kind: string) => all.filter((each) => each.kind === kind), find } as unknown as Catalog
}
