import type { HostEvents, NotifierEvent, NotifierPost, OpenNotifier, ToolContext } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Loaded } from '#config/file/loaded.ts'
import { requireHostVerb } from '#kernel/activation/plugin-context.ts'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import { newId } from '#kernel/ids.ts'
import { maskText } from '#observe/mask.ts'
import type { Store } from '#store/store.ts'
import { limitOutput } from '#tools/toolbox/limit-output.ts'
import { createPluginCalls, type PluginCallsOptions } from '../calls/plugin-calls.ts'
import { type EventRow, openEventRows } from './event-rows.ts'

export interface PluginNotifiersOptions extends PluginCallsOptions<'notifier'> {
  readonly catalog: Pick<Catalog, 'of'>
  readonly store: Pick<Store, 'kv'>
  /** Read each time: a reload changes the settings. */
  readonly loaded: {
    readonly config: Pick<Loaded['config'], 'notifiers'>
    readonly environment: Pick<Loaded['environment'], 'secrets'>
  }
}

/** What the host has to say to all notifiers that listen to it. The same id again is the same event. */
export type HostEvent = Pick<EventRow, 'id' | 'at' | 'session' | 'origin' | 'question'> &
  { readonly [Name in keyof HostEvents]: { readonly name: Name; readonly data: HostEvents[Name] } }[keyof HostEvents]

export interface PluginNotifiers {
  /** Those that run and are not switched off. */
  running(): readonly Contribution<'notifier'>[]
  /** What a notifier makes of an event: secrets are masked, and the texts are bounded. */
  hear(contribution: Contribution<'notifier'>, event: NotifierEvent, signal: AbortSignal): Promise<readonly NotifierPost[]>
  /** What a toolset raises: only notifiers of the same plugin hear it. */
  raise(contribution: Contribution<'toolset'>, event: Parameters<ToolContext['raise']>[0]): Promise<void>
  /** Writes down what has happened, where a notifier hears of such: secrets are masked, and the texts are bounded. */
  announce(event: HostEvent): Promise<void>
  /** Called when something was raised in this process. */
  onRaised(listener: () => void): () => void
  /** Ends what was replaced or removed, after what runs of it. */
  retire(contribution: Contribution<'notifier'>): Promise<void>
  close(): Promise<void>
}

const longestPost = 4000
const mostPosts = 20
const mostData = 16_384

/** Notifiers of plugins: loaded when the first event of theirs comes. */
export function createPluginNotifiers(options: PluginNotifiersOptions): PluginNotifiers {
  const { catalog, loaded, store, clock, log } = options
  const listeners = new Set<() => void>()
  const rows = openEventRows(store.kv)
  const { call, retire, close } = createPluginCalls<'notifier', OpenNotifier>({ ...options, method: 'hear' })
  const running = (): readonly Contribution<'notifier'>[] =>
    catalog.of('notifier').filter(({ id }) => loaded.config.notifiers[id]?.enabled !== false)
  const keep = async (event: EventRow): Promise<void> => {
    if (await rows.add(event)) for (const listener of listeners) listener()
    else log.warn('an event is not heard: too many wait', { plugin: event.plugin ?? 'host', event: event.name })
  }
  return {
    ...{ running, retire, close },
    hear: async (contribution, event, signal) => {
      const what = `${contribution.id}, about ${event.name}`
      const posts = await call(contribution, {
        what,
        signal,
        run: async (opened, bounds) => requirePosts(await opened.hear(event, bounds)),
      })
      const secrets = loaded.environment.secrets()
      return posts.map((post) => ({ ...post, text: limitOutput(maskText(post.text, secrets), longestPost) }))
    },
    raise: async (contribution, { name, data, session }) => {
      requireHostVerb(contribution, 'notify')
      requireOwnEvent(contribution, name, data)
      const plugin = contribution.plugin.manifest.id
      if (!running().some((each) => each.plugin.manifest.id === plugin && each.spec.events.includes(name))) return
      const event = { id: newId('evt'), name, at: clock.now(), data, plugin, ...(session === undefined ? {} : { session }) }
      await keep(event)
    },
    announce: async (event) => {
      if (!running().some(({ spec }) => spec.events.includes(event.name))) return
      const secrets = loaded.environment.secrets()
      const shown = Object.entries(event.data).map(([key, value]) => [key, limitOutput(maskText(value, secrets), longestPost)])
      await keep({ ...event, data: Object.fromEntries(shown) })
    },
    onRaised: (listener) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

function requireOwnEvent({ plugin, spec }: Contribution<'toolset'>, name: string, data: unknown): void {
  const { id, contributes } = plugin.manifest
  if (!contributes.notifiers.some(({ events }) => events.includes(name)))
    throw fail('PLUGIN_UNDECLARED', { plugin: id, access: `the event ${name}`, field: `events of a notifier: ["${name}"]` })
  if ((JSON.stringify(data) ?? '').length > mostData)
    throw fail('PLUGIN_SHAPE', { plugin: id, entry: spec.entry, problem: `raises ${name} with more than ${mostData} characters` })
}

function requirePosts(posts: readonly NotifierPost[]): readonly NotifierPost[] {
  const fits = (post: NotifierPost): boolean => typeof post?.text === 'string' && ['undefined', 'boolean'].includes(typeof post.isError)
  if (!Array.isArray(posts) || !posts.every(fits)) throw new Error('what it gives are no posts: [{ text, isError? }]')
  if (posts.length > mostPosts) throw new Error(`it makes ${posts.length} posts of one event, and at most ${mostPosts} are sent`)
  return posts.filter(({ text }) => text.trim() !== '')
}
