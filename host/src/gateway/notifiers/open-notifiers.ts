import type { Notice } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Notices } from '#agent/notices.ts'
import { type EventRow, openEventRows } from '#agent/notifiers/event-rows.ts'
import type { PluginNotifiers } from '#agent/notifiers/plugin-notifiers.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { newId } from '#kernel/ids.ts'
import type { Store } from '#store/store.ts'
import { untilWritten } from '#store/until-written.ts'
import { resolveFrom, type TargetParts } from '../directory/delivery-target.ts'
import { openPump, type WorkSource } from '../pump/pump.ts'
import { collectRuns, forgetRuns } from './collect-runs.ts'
import { hearEvent } from './hear-event.ts'
import { createPostSender, type SendPostsOptions } from './send-posts.ts'

export interface NotifierPump {
  /** Other notifiers may run now, or another process may have raised something. */
  wake(): void
  close(): Promise<void>
}

export interface OpenNotifiersOptions
  extends TargetParts,
    Omit<SendPostsOptions, 'kv' | 'homes' | 'resolve' | 'catalog' | 'rules' | 'directory' | 'loaded'> {
  readonly store: Pick<Store, 'kv' | 'jobs'>
  readonly notifiers: Pick<PluginNotifiers, 'running' | 'hear' | 'onRaised'>
  readonly onNotice: Notices['onNotice']
  readonly catalog: TargetParts['catalog'] & Pick<Catalog, 'of'>
  readonly rules: SendPostsOptions['rules']
  readonly directory: SendPostsOptions['directory']
  readonly loaded: TargetParts['loaded'] & SendPostsOptions['loaded']
}

type Work = { readonly event: EventRow } | 'posts'

/** Lets notifiers hear what happens, and posts what they make of it. Where none runs, it does nothing and waits for nothing. */
export async function openNotifiers(options: OpenNotifiersOptions): Promise<NotifierPump> {
  const { store, notifiers, clock, log } = options
  const { kv, jobs } = store
  const stop = new AbortController()
  const rows = openEventRows(kv)
  const sender = createPostSender({ ...options, kv, homes: () => homesOf(options), resolve: resolveFrom(options) })
  const hears = (event: string): boolean => notifiers.running().some(({ spec }) => spec.events.includes(event))
  let retryAt: number | null = null
  const claim = async (): Promise<Work | null> => {
    if (notifiers.running().length === 0) return null
    await (hears('job.end') ? collectRuns({ jobs, kv, rows }) : forgetRuns(kv))
    const waiting = await rows.list()
    const event = waiting.find((row) => (row.retryAt ?? 0) <= clock.now())
    retryAt = earliest(waiting.map((row) => row.retryAt ?? null))
    if (event) return { event }
    const next = await sender.nextAt()
    return next !== null && next <= clock.now() ? 'posts' : null
  }
  const source: WorkSource<Work> = {
    claim,
    nextAt: async () => (notifiers.running().length === 0 ? null : earliest([retryAt, await sender.nextAt()])),
    onWork: (wake) => follow(options, { wake, hears, add: (event) => untilWritten(options, stop.signal, () => rows.add(event)) }),
  }
  const work = async (item: Work): Promise<void> => {
    const hearing = { rows, notifiers, sender, now: clock.now, log, stop: stop.signal }
    await untilWritten(options, stop.signal, async () => {
      if (item === 'posts') await sender.sendDue()
      else await hearEvent(hearing, item.event)
    })
  }
  const pump = openPump({ source, work, most: () => 1, name: 'notifiers', stop: stop.signal, clock, log })
  if (notifiers.running().length > 0) pump.wake()
  return {
    wake: pump.wake,
    close: async () => {
      stop.abort(fail('INTERRUPTED'))
      await pump.close()
    },
  }
}

function earliest(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null)
  return known.length === 0 ? null : Math.min(...known)
}

function homesOf({ catalog, rules }: OpenNotifiersOptions): readonly string[] {
  return catalog.of('platform').flatMap(({ id, spec }) => (spec.door === 'messaging' && rules.of(id).settings.home_channel ? [id] : []))
}

interface Following {
  readonly wake: () => void
  readonly hears: (event: string) => boolean
  readonly add: (event: EventRow) => Promise<void>
}

/** Tells when something may have happened. What it returns ends that. */
function follow({ store, notifiers, onNotice, clock, log }: OpenNotifiersOptions, { wake, hears, add }: Following): () => void {
  const hearNotice = ({ session, kind, text }: Notice): void => {
    if (kind === 'started' || !hears('background.end')) return
    const event: EventRow = { id: newId('evt'), name: 'background.end', at: clock.now(), data: { kind, text }, session }
    add(event).then(wake, (error: unknown) => log.error('an event could not be kept', { event: event.name, error: String(error) }))
  }
  const ends = [notifiers.onRaised(wake), store.jobs.onChange(() => hears('job.end') && wake()), onNotice(hearNotice)]
  return () => {
    for (const end of ends) end()
  }
}
