import type { Notice } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Notices } from '#agent/notices.ts'
import { type EventRow, openEventRows } from '#agent/notifiers/event-rows.ts'
import type { PluginNotifiers } from '#agent/notifiers/plugin-notifiers.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { newId } from '#kernel/ids.ts'
import type { Store } from '#store/store.ts'
import { untilWritten } from '#store/until-written.ts'
import type { WaitingQuestions } from '../conversation/waiting-questions.ts'
import { resolveFrom, type TargetParts } from '../directory/delivery-target.ts'
import { openPump, type WorkSource } from '../pump/pump.ts'
import { createEventChooser } from './choose-event.ts'
import { collectRuns, forgetRuns } from './collect-runs.ts'
import { hearEvent } from './hear-event.ts'
import { longestQuietMs } from './limits.ts'
import { createPostSender, type SendPostsOptions } from './send-posts.ts'

export interface NotifierPump {
  /** Other notifiers may run now, or another process may have raised something. */
  wake(): void
  close(): Promise<void>
}

export interface OpenNotifiersOptions
  extends TargetParts,
    Omit<SendPostsOptions, 'kv' | 'homes' | 'resolve' | 'isNews' | 'catalog' | 'rules' | 'directory' | 'loaded'> {
  readonly store: Pick<Store, 'kv' | 'jobs'>
  readonly notifiers: Pick<PluginNotifiers, 'running' | 'hear' | 'announce' | 'onRaised'>
  readonly inbox: { readonly questions: Pick<WaitingQuestions, 'list'> }
  readonly onNotice: Notices['onNotice']
  readonly catalog: TargetParts['catalog'] & Pick<Catalog, 'of'>
  readonly rules: SendPostsOptions['rules']
  readonly directory: SendPostsOptions['directory']
  readonly loaded: TargetParts['loaded'] & SendPostsOptions['loaded']
}

type Work = { readonly event: EventRow } | { readonly posts: 'due' | 'all' }

/** Lets notifiers hear what happens, and posts what they make of it. Where none runs, it waits for nothing. */
export async function openNotifiers(options: OpenNotifiersOptions): Promise<NotifierPump> {
  const { store, notifiers, clock, log } = options
  const { kv, jobs } = store
  const stop = new AbortController()
  const rows = openEventRows(kv)
  const chooser = createEventChooser(rows)
  const isNews = ({ question }: Pick<EventRow, 'question'>): boolean =>
    question === undefined || options.inbox.questions.list().some(({ id }) => id === question)
  const sender = createPostSender({ ...options, kv, isNews, homes: () => homesOf(options), resolve: resolveFrom(options) })
  const hears = (event: string): boolean => notifiers.running().some(({ spec }) => spec.events.includes(event))
  // What has to be looked at again: ends of jobs, and posts that wait by other settings.
  const changed = { runs: true, posts: true }
  const collect = async (): Promise<void> => {
    if (!changed.runs) return
    changed.runs = false
    try {
      await (hears('job.end') ? collectRuns({ jobs, kv, rows }) : forgetRuns(kv))
    } catch (error) {
      changed.runs = true
      throw error
    }
  }
  const claim = async (): Promise<Work | null> => {
    await collect()
    if (notifiers.running().length === 0) return null
    const times = await sender.times()
    const now = clock.now()
    if (times.length > 0 && (changed.posts || times.some((at) => at > now + longestQuietMs))) {
      changed.posts = false
      return { posts: 'all' }
    }
    if (times.some((at) => at <= now)) return { posts: 'due' }
    const event = await chooser.next(now)
    return event ? { event } : null
  }
  const source: WorkSource<Work> = {
    claim,
    nextAt: async (after) => {
      const times = notifiers.running().length === 0 ? [] : [...chooser.times(), ...(await sender.times())]
      return times.reduce<number | null>((first, at) => (at > after && (first === null || at < first) ? at : first), null)
    },
    onWork: (wake) =>
      follow(options, {
        ...{ wake, hears },
        ended: () => (changed.runs = true),
        announce: (event) => untilWritten(options, stop.signal, () => notifiers.announce(event)),
      }),
  }
  const work = async (item: Work): Promise<void> => {
    const hearing = { rows, notifiers, sender, isNews, now: clock.now, log, stop: stop.signal }
    await untilWritten(options, stop.signal, async () => {
      if ('posts' in item) await sender.sendWaiting(item.posts)
      else await hearEvent(hearing, item.event)
    })
  }
  const pump = openPump({ source, work, most: () => 1, name: 'notifiers', stop: stop.signal, clock, log })
  const wake = (): void => {
    Object.assign(changed, { runs: true, posts: true })
    pump.wake()
  }
  wake()
  return {
    wake,
    close: async () => {
      stop.abort(fail('INTERRUPTED'))
      await pump.close()
    },
  }
}

function homesOf({ catalog, rules }: OpenNotifiersOptions): readonly string[] {
  return catalog.of('platform').flatMap(({ id, spec }) => (spec.door === 'messaging' && rules.of(id).settings.home_channel ? [id] : []))
}

interface Following {
  readonly wake: () => void
  readonly hears: (event: string) => boolean
  /** A run of a job may have ended. */
  readonly ended: () => void
  readonly announce: PluginNotifiers['announce']
}

/** Tells when something may have happened. What it returns ends that. */
function follow({ store, notifiers, onNotice, clock, log }: OpenNotifiersOptions, { wake, hears, ended, announce }: Following): () => void {
  const hearNotice = ({ session, kind, text }: Notice): void => {
    if (kind === 'started') return
    announce({ id: newId('evt'), name: 'background.end', at: clock.now(), data: { kind, text }, session }).catch((error: unknown) =>
      log.error('an event could not be kept', { event: 'background.end', problem: String(error) }),
    )
  }
  const hearJobs = (): void => {
    ended()
    if (hears('job.end')) wake()
  }
  const ends = [notifiers.onRaised(wake), store.jobs.onChange(hearJobs), onNotice(hearNotice)]
  return () => {
    for (const end of ends) end()
  }
}
