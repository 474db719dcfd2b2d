import type { Clock, Log, Notice } from '@agent/plugin-sdk'
import type { Notices } from '#agent/notices.ts'
import type { AgentTurns } from '#agent/turn/turns.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { newId } from '#kernel/ids.ts'
import type { Journal } from '#store/journal.ts'
import { untilWritten } from '#store/until-written.ts'
import type { PlatformRules } from '../rules/platform-rules.ts'
import { parseSessionKey } from '../rules/session-key.ts'
import { answerParts } from './replies.ts'

export interface TellNoticesOptions extends Pick<Notices, 'onNotice'> {
  readonly turns: Pick<AgentTurns, 'keyOf'>
  readonly journal: Pick<Journal, 'post'>
  readonly catalog: Pick<Catalog, 'find'>
  readonly rules: Pick<PlatformRules, 'of'>
  readonly clock: Clock
  readonly log: Log
}

/** Tells a conversation what becomes of that which its session left in the background. Sessions of request doors have nobody to be told. */
export function openNoticeTeller(options: TellNoticesOptions): { close(): Promise<void> } {
  const { log } = options
  const stopped = new AbortController()
  // One behind the other, so that a start is told before its end.
  let last = Promise.resolve()
  const leave = options.onNotice((notice) => {
    last = last
      .then(() => tell(options, notice, stopped.signal))
      .catch((error: unknown) => log.error('a notice was not told', { session: notice.session, error: String(error) }))
  })
  return {
    close: async () => {
      leave()
      stopped.abort()
      await last
    },
  }
}

async function tell(options: TellNoticesOptions, { session, text }: Notice, signal: AbortSignal): Promise<void> {
  const key = await options.turns.keyOf(session)
  const place = key === undefined ? undefined : parseSessionKey(key)
  const spec = place && options.catalog.find('platform', place.platform)?.spec
  if (!place || spec?.door !== 'messaging') return
  const { reply_prefix: prefix } = options.rules.of(place.platform).settings
  const parts = await answerParts(text, undefined, { spec, prefix })
  await untilWritten(options, signal, () => options.journal.post(place, parts, newId('msg')))
}
