import type { Clock, Log, NotifierPost, Wire } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { EventRow } from '#agent/notifiers/event-rows.ts'
import type { PluginNotifiers } from '#agent/notifiers/plugin-notifiers.ts'
import type { AgentTurns } from '#agent/turn/turns.ts'
import type { Loaded } from '#config/file/loaded.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { ConversationRef, Journal } from '#store/journal.ts'
import type { Kv } from '#store/kv.ts'
import type { ChannelDirectory } from '../directory/channel-directory.ts'
import type { DeliveryTarget } from '../directory/delivery-target.ts'
import { answerParts } from '../outbound/replies.ts'
import type { PlatformRules } from '../rules/platform-rules.ts'
import { parseSessionKey } from '../rules/session-key.ts'
import { oldestMs } from './limits.ts'
import { endOfQuiet } from './quiet-hours.ts'

export interface SendPostsOptions {
  readonly kv: Kv
  readonly journal: Pick<Journal, 'post'>
  readonly catalog: Pick<Catalog, 'find'>
  readonly rules: Pick<PlatformRules, 'of'>
  readonly turns: Pick<AgentTurns, 'keyOf'>
  readonly directory: Pick<ChannelDirectory, 'list'>
  readonly resolve: (target: string) => Promise<DeliveryTarget>
  readonly notifiers: Pick<PluginNotifiers, 'running'>
  /** Whether what an event told is still so. */
  readonly isNews: (event: Pick<EventRow, 'question'>) => boolean
  /** Messaging platforms that have a place to report to. */
  readonly homes: () => readonly string[]
  /** Read each time: a reload changes the settings. */
  readonly loaded: { readonly config: Pick<Loaded['config'], 'notifiers' | 'cron'> }
  readonly clock: Clock
  readonly log: Log
}

/** A post on its way to one place. A type, because only types are kept as plain data. */
type PlacedPost = {
  /** The same again adds nothing to the outbox. */
  readonly id: string
  readonly notifier: string
  /** When its event was. */
  readonly at: number
  /** Nobody needs it once this question is answered. */
  readonly question?: string
  readonly text: string
  readonly isError: boolean
  readonly place: { readonly platform: string; readonly account: string; readonly conversation: string }
}

export interface PostSender {
  /** Hands a post to the outbox for each place that its notifier writes to, or lets it wait on disk until people may be disturbed. */
  send(event: EventRow, post: NotifierPost, of: { readonly notifier: string; readonly index: number }): Promise<void>
  /** Sends what has waited for long enough; all: looks at each of them, because settings or the clock may be others. */
  sendWaiting(which: 'due' | 'all'): Promise<void>
  /** When each of them has waited for long enough, the first one first. */
  times(): Promise<readonly number[]>
}

// A dot stands in no plugin's id, so no plugin has this space.
const space = 'host.posts'

export function createPostSender(options: SendPostsOptions): PostSender {
  const { kv, clock } = options
  return {
    send: async (event, { text, isError = false }, { notifier, index }) => {
      for (const place of await findPlaces(options, event, notifier)) {
        const number = String(index).padStart(2, '0')
        const id = ['note', event.id, notifier, number, place.platform, place.account, place.conversation].map(escapePart).join('/')
        const { at, question } = event
        await pass(options, { id, notifier, at, ...(question === undefined ? {} : { question }), text, isError, place: { ...place } })
      }
    },
    sendWaiting: async (which) => {
      const due = (await kv.keys(space)).filter((key) => which === 'all' || timeOf(key) <= clock.now())
      for (const key of due) {
        const post = (await kv.get(space, key)) as PlacedPost | undefined
        // Rules of now: a person may have changed them meanwhile.
        const kept = post && (await passOrDrop(options, post, key))
        if (kept !== key) await kv.delete(space, key)
      }
    },
    times: async () => (await kv.keys(space)).map(timeOf),
  }
}

const escapePart = (part: string): string => encodeURIComponent(part)
const keyOf = (until: number, { at, id }: PlacedPost): string => `${padded(until)}-${padded(at)}-${id}`
const padded = (time: number): string => String(time).padStart(15, '0')
const timeOf = (key: string): number => Number(key.slice(0, 15))

/** One that can never be sent keeps the others from nothing. */
async function passOrDrop(options: SendPostsOptions, post: PlacedPost, key: string): Promise<string | undefined> {
  try {
    return await pass(options, post, key)
  } catch (error) {
    if (isAgentError(error, 'STORE_FULL') || isAgentError(error, 'STORE_BUSY')) throw error
    options.log.error('a post of a notifier that waited cannot be sent', { notifier: post.notifier, error: String(error) })
    return undefined
  }
}

/** Hands a post to the outbox, or lets it wait, and answers with the key of what waits; `before` is that of one that has waited. */
async function pass(options: SendPostsOptions, post: PlacedPost, before?: string): Promise<string | undefined> {
  const { kv, journal, catalog, rules, notifiers, isNews, loaded, clock, log } = options
  const { notifier, place } = post
  const { quiet_hours: quiet } = loaded.config.notifiers[notifier] ?? {}
  const isOld = clock.now() - post.at > oldestMs
  if (isOld || !isNews(post) || !notifiers.running().some(({ id }) => id === notifier) || !(await isWanted(options, post))) {
    log.info('a post of a notifier is not wanted any more', { notifier, platform: place.platform })
    return undefined
  }
  const zone = quiet?.zone || loaded.config.cron.timezone
  const until = quiet && endOfQuiet(clock.now(), { ...quiet, zone })
  if (until !== undefined) {
    const key = keyOf(until, post)
    if (key !== before) await kv.set(space, key, post as Wire)
    return key
  }
  const { spec } = catalog.find('platform', place.platform) ?? {}
  const { reply_prefix: prefix } = rules.of(place.platform).settings
  // Without files: what a notifier writes names none of this machine.
  await journal.post(place, await answerParts(post.text, undefined, { spec, prefix }), post.id)
  return undefined
}

/** What a person wants to hear in a direct conversation, or in one that has said nothing yet. Groups belong to nobody alone. */
async function isWanted({ loaded, directory }: SendPostsOptions, { notifier, place, isError }: PlacedPost): Promise<boolean> {
  const people = loaded.config.notifiers[notifier]?.people ?? {}
  const wish = people[`${place.platform}:${place.conversation}`]
  if (wish === undefined || wish === 'all') return true
  const known = (await directory.list(place.platform)).find(({ id }) => id === place.conversation)
  return (known !== undefined && known.kind !== 'dm') || (wish === 'errors' && isError)
}

/** Each place once. What cannot be found keeps the others from nothing. */
async function findPlaces(options: SendPostsOptions, event: EventRow, notifier: string): Promise<readonly ConversationRef[]> {
  const { resolve, homes, loaded, log } = options
  const { deliver = ['origin'] } = loaded.config.notifiers[notifier] ?? {}
  const found = new Map<string, ConversationRef>()
  for (const target of deliver.flatMap((each) => (each === 'all' ? homes() : [each]))) {
    try {
      const place = target === 'origin' ? await originOf(options, event) : await resolve(target)
      if (place.type === 'place') found.set(JSON.stringify(place.place), place.place)
    } catch (error) {
      if (!isAgentError(error)) throw error
      log.error('a post of a notifier cannot go where it should', { notifier, target, code: error.code, error: error.message })
    }
  }
  return [...found.values()]
}

/** Where nobody can be written to, there is no origin: a terminal, a request door, or an event of no conversation. */
async function originOf({ turns, catalog }: SendPostsOptions, { session, origin }: EventRow): Promise<DeliveryTarget> {
  const key = origin ?? (session === undefined ? undefined : await turns.keyOf(session))
  const place = key === undefined ? undefined : parseSessionKey(key)
  const isMessaging = place !== undefined && catalog.find('platform', place.platform)?.spec.door === 'messaging'
  return isMessaging ? { type: 'place', place } : { type: 'local' }
}
