import type { Clock, Log, Notice, PlatformManifest } from '@agent/plugin-sdk'
import type { Notices } from '#agent/notices.ts'
import type { AgentTurns } from '#agent/turns.ts'
import type { PlatformSettings } from '#config/platform-settings.ts'
import { newId } from '#kernel/ids.ts'
import type { Journal } from '#store/journal.ts'
import { parseSessionKey } from '../inbound/session-key.ts'
import { untilWritten } from '../until-written.ts'
import { answerParts } from './answer-parts.ts'

export interface TellNoticesOptions extends Pick<Notices, 'onNotice'> {
  readonly turns: Pick<AgentTurns, 'keyOf'>
  readonly journal: Pick<Journal, 'post'>
  readonly spec: (platform: string) => PlatformManifest | undefined
  readonly settings: (platform: string) => Pick<PlatformSettings, 'reply_prefix'>
  readonly clock: Clock
  readonly log: Log
}

/** Tells a conversation what becomes of that which its session left in the background. Sessions of request doors have nobody to be told. */
export function tellNotices(options: TellNoticesOptions): () => Promise<void> {
  const { log } = options
  const stopped = new AbortController()
  // One behind the other, so that a start is told before its end.
  let last = Promise.resolve()
  const leave = options.onNotice((notice) => {
    last = last
      .then(() => tell(options, notice, stopped.signal))
      .catch((error: unknown) => log.error('a notice was not told', { session: notice.session, error: String(error) }))
  })
  return async () => {
    leave()
    stopped.abort()
    await last
  }
}

async function tell(options: TellNoticesOptions, { session, text }: Notice, signal: AbortSignal): Promise<void> {
  const key = await options.turns.keyOf(session)
  const place = key === undefined ? undefined : parseSessionKey(key)
  const spec = place && options.spec(place.platform)
  if (!place || spec?.door !== 'messaging') return
  const { reply_prefix: prefix } = options.settings(place.platform)
  const parts = await answerParts(text, undefined, { spec, prefix })
  await untilWritten(options, signal, () => options.journal.post(place, parts, newId('msg')))
}
