import type { Log } from '@agent/plugin-sdk'
import { detailOf, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import { mostTargets, postIdOf, settledDelivery } from '#jobs/run-post.ts'
import type { Jobs, RunClaim } from '#store/jobs.ts'
import type { ConversationRef, Journal } from '#store/journal.ts'
import type { DeliveryTarget } from '../directory/delivery-target.ts'
import type { Replies } from '../outbound/replies.ts'
import { parseSessionKey } from '../rules/session-key.ts'
import { textOf } from './run-text.ts'

export interface DeliverRunsOptions {
  readonly jobs: Pick<Jobs, 'deliveries' | 'delivered'>
  readonly journal: Pick<Journal, 'post' | 'posted'>
  readonly replies: Pick<Replies, 'unasked'>
  readonly resolve: (target: string) => Promise<DeliveryTarget>
  /** Messaging platforms that have a place to report to. */
  readonly homes: () => readonly string[]
  /** Why a job may not be run any more; then it also says nothing. */
  readonly refusalOf: (job: RunClaim['job']) => string | undefined
  /** Whether the name of a job stands above its answer. */
  readonly named: () => boolean
  readonly log: Log
}

const mostAtOnce = 1_000

/** Queues what runs have to say, and writes down what became of what was queued before. What a crash cut off is queued once all the same. */
export async function deliverRuns(options: DeliverRunsOptions): Promise<void> {
  const { jobs, journal } = options
  for (const claim of await jobs.deliveries(['pending'], mostAtOnce)) await deliver(options, claim)
  for (const { run } of await jobs.deliveries(['queued'], mostAtOnce)) {
    const { delivery, deliveryError } = await settledDelivery(run, journal.posted)
    if (delivery) await jobs.delivered(run.seq, delivery, deliveryError ?? undefined)
  }
}

async function deliver(options: DeliverRunsOptions, claim: RunClaim): Promise<void> {
  const { jobs, journal, replies, refusalOf, named, log } = options
  const { run, job } = claim
  const text = refusalOf(job) === undefined ? textOf(claim, { named: named() }) : ''
  try {
    const places = text === '' ? [] : await findPlaces(options, claim)
    for (const [index, place] of places.entries()) {
      const parts = await replies.unasked(place, text)
      await journal.post(place, parts, postIdOf(run.seq, index))
    }
    await jobs.delivered(run.seq, places.length === 0 ? 'local' : 'queued')
  } catch (error) {
    if (isAgentError(error, 'STORE_FULL') || isAgentError(error, 'STORE_BUSY')) throw error
    log.error('what a job has to say cannot be delivered', { job: job.id, name: job.name, to: job.deliver, problem: detailOf(error) })
    await jobs.delivered(run.seq, 'failed', toWireError(error))
  }
}

/** Each place once. */
async function findPlaces({ resolve, homes }: DeliverRunsOptions, { job }: RunClaim): Promise<readonly ConversationRef[]> {
  const targets = job.deliver.split(',').flatMap((target) => (target === 'all' ? homes() : [target]))
  const found = new Map<string, ConversationRef>()
  for (const target of targets) {
    const place = target === 'origin' ? originOf(job) : await resolve(target)
    if (place.type === 'place') found.set(JSON.stringify(place.place), place.place)
  }
  return [...found.values()].slice(0, mostTargets)
}

/** What was made at the terminal, or through a door that cannot be written to, is only kept. */
function originOf({ origin }: RunClaim['job']): DeliveryTarget {
  const place = origin === undefined ? undefined : parseSessionKey(origin)
  return place ? { type: 'place', place } : { type: 'local' }
}
