import type { Log } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { EventRow, EventRows } from '#agent/notifiers/event-rows.ts'
import type { PluginNotifiers } from '#agent/notifiers/plugin-notifiers.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import type { PostSender } from './send-posts.ts'

export interface HearEventOptions {
  readonly rows: EventRows
  readonly notifiers: Pick<PluginNotifiers, 'running' | 'hear'>
  readonly sender: Pick<PostSender, 'send'>
  readonly now: () => number
  readonly log: Log
  readonly stop: AbortSignal
}

const mostAttempts = 3
const againMs = 60_000
/** The outbox forgets after this long what it has sent, so that a post could come twice. */
const oldestMs = 7 * 24 * 3_600_000

/**
 * Lets each notifier hear an event, and forgets the event when all have. An event is forgotten after its posts are on disk, and a post has the same
 * id whenever its event is heard again: a crash anywhere in between neither loses a post nor sends it twice.
 */
export async function hearEvent(options: HearEventOptions, event: EventRow): Promise<void> {
  const { rows, now, log, stop } = options
  const heardBy = [...(event.heardBy ?? [])]
  let failed = false
  for (const contribution of wantedBy(options, event)) {
    if (await hear(options, event, contribution)) heardBy.push(contribution.id)
    else failed = true
    // It is heard again after the next start.
    if (stop.aborted) return
  }
  const attempts = (event.attempts ?? 0) + 1
  if (failed && attempts < mostAttempts) return await rows.change({ ...event, heardBy, attempts, retryAt: now() + againMs * attempts })
  if (failed) log.error('an event was not heard, and is given up', { event: event.name, id: event.id })
  await rows.remove(event)
}

/** Those that have not heard it; nobody where it is too old. */
function wantedBy({ notifiers, now }: HearEventOptions, event: EventRow): readonly Contribution<'notifier'>[] {
  if (now() - event.at > oldestMs) return []
  const isFor = (plugin: string): boolean => event.plugin === undefined || event.plugin === plugin
  return notifiers
    .running()
    .filter(({ id, plugin, spec }) => isFor(plugin.manifest.id) && spec.events.includes(event.name) && !event.heardBy?.includes(id))
}

async function hear(options: HearEventOptions, event: EventRow, contribution: Contribution<'notifier'>): Promise<boolean> {
  const { notifiers, sender, stop, log } = options
  const { id, name, at, data } = event
  try {
    const posts = await notifiers.hear(contribution, { id, name, at, data }, stop)
    for (const [index, post] of posts.entries()) await sender.send(event, post, { notifier: contribution.id, index })
    return true
  } catch (error) {
    if (isAgentError(error, 'STORE_FULL') || isAgentError(error, 'STORE_BUSY')) throw error
    log.warn('a notifier has not heard an event', { notifier: contribution.id, event: name, error: String(error) })
    return false
  }
}
