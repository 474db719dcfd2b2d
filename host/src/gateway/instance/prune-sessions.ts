import type { Clock, Log } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { Config } from '#config/schema/schema.ts'
import type { Sessions } from '#store/sessions.ts'

export interface PruneSessionsOptions {
  readonly store: { readonly sessions: Pick<Sessions, 'old' | 'deleteOld'> }
  /** Read each time: a reload changes the wish. */
  readonly loaded: { readonly config: Pick<Config, 'sessions'> }
  readonly clock: Clock
  readonly log: Log
  readonly signal: AbortSignal
}

const dayMs = 24 * 3_600_000

/** Deletes old sessions once a day where the settings want it, until the signal fires. Those that a person gave a title stay. */
export async function keepPruning(options: PruneSessionsOptions): Promise<void> {
  const { clock, log, signal } = options
  while (!signal.aborted) {
    try {
      await pruneOnce(options)
    } catch (error) {
      log.warn('old sessions were not deleted', { error: detailOf(error) })
    }
    await clock.sleep(dayMs, signal).catch(() => undefined)
  }
}

async function pruneOnce({ store: { sessions }, loaded, clock, log }: PruneSessionsOptions): Promise<void> {
  const { auto_prune, retention_days: days } = loaded.config.sessions
  if (!auto_prune) return
  const rule = { before: clock.now() - days * dayMs, keep: 0, titled: false }
  const count = await sessions.deleteOld(await sessions.old(rule), rule)
  if (count > 0) log.info('old sessions were deleted', { count, days })
}
