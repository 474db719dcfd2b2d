import type { Log, NotifierPost } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { EventRow, EventRows } from '#agent/notifiers/event-rows.ts'
import type { PluginNotifiers } from '#agent/notifiers/plugin-notifiers.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { againMs, mostAttempts, oldestMs } from './limits.ts'
import type { PostSender } from './send-posts.ts'

export interface HearEventOptions {
  readonly rows: EventRows
  readonly notifiers: Pick<PluginNotifiers, 'running' | 'hear'>
  readonly sender: Pick<PostSender, 'send'>
  /** Whether it is still worth a word. */
  readonly isNews: (event: EventRow) => boolean
  readonly now: () => number
  readonly log: Log
  readonly stop: AbortSignal
}

/**
 * Lets each notifier hear an event, and forgets the event when all have. An event is forgotten after its posts are on disk, and a post has the same
 * id whenever its event is heard again: a crash anywhere in between neither loses a post nor sends it twice. An attempt is written down before it
 * begins: an event that ends the process is not heard without end.
 */
export async function hearEvent(options: HearEventOptions, event: EventRow): Promise<void> {
  const { rows, now, log, stop } = options
  const heardBy = [...(event.heardBy ?? [])]
  const attempts = (event.attempts ?? 0) + 1
  const wanted = attempts > mostAttempts ? [] : wantedBy(options, event)
  let failed = attempts > mostAttempts
  if (wanted.length > 0) await rows.change({ ...event, attempts })
  for (const contribution of wanted) {
    if (await hear(options, event, contribution)) heardBy.push(contribution.id)
    else failed = true
    // It is heard again after the next start, and that is no second attempt.
    if (stop.aborted) return await rows.change({ ...event, heardBy })
  }
  if (failed && attempts < mostAttempts) return await rows.change({ ...event, heardBy, attempts, retryAt: now() + againMs * attempts })
  if (failed) log.error('an event was not heard, and is given up', { event: event.name, id: event.id })
  await rows.remove(event)
}

/** Those that have not heard it; nobody where it is too old, or no news any more. */
function wantedBy({ notifiers, isNews, now }: HearEventOptions, event: EventRow): readonly Contribution<'notifier'>[] {
  if (now() - event.at > oldestMs || !isNews(event)) return []
  const isFor = (plugin: string): boolean => event.plugin === undefined || event.plugin === plugin
  return notifiers
    .running()
    .filter(({ id, plugin, spec }) => isFor(plugin.manifest.id) && spec.events.includes(event.name) && !event.heardBy?.includes(id))
}

async function hear(options: HearEventOptions, event: EventRow, contribution: Contribution<'notifier'>): Promise<boolean> {
  const { notifiers, sender, stop, log } = options
  const { id, name, at, data } = event
  const refuse = (error: unknown): false => {
    log.warn('a notifier has not heard an event', { notifier: contribution.id, event: name, error: String(error) })
    return false
  }
  let posts: readonly NotifierPost[]
  try {
    posts = await notifiers.hear(contribution, { id, name, at, data }, stop)
  } catch (error) {
    // Whatever its code: the disk of a plugin is not the store.
    return refuse(error)
  }
  try {
    for (const [index, post] of posts.entries()) await sender.send(event, post, { notifier: contribution.id, index })
    return true
  } catch (error) {
    if (isAgentError(error, 'STORE_FULL') || isAgentError(error, 'STORE_BUSY')) throw error
    return refuse(error)
  }
}
