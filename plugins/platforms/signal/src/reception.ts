import type { Clock } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type Life, readSse } from '@agent/plugin-sdk/http'
import { type Daemon, platform } from './daemon.ts'
import { type Envelope, parseEvent } from './wire.ts'

export interface ReceptionOptions {
  readonly daemon: Daemon
  readonly life: Life
  readonly clock: Clock
  /** Our phone number: a daemon may have more accounts. */
  readonly number: string
  /** The event that was dealt with last, before this connection. */
  readonly lastId: string | undefined
  /** Resolves when the next event may be read. Newer daemons give each event an id. */
  readonly onEnvelope: (envelope: Envelope, id: string | undefined) => Promise<void>
}

const beatMs = 15_000
/** The daemon gives a sign of life each 15 seconds, so that nothing else need be asked: it may say that it is well while it is deaf. */
const deadMs = 120_000

/** Listens to the daemon; resolves when it has begun to tell what happens. */
export async function openReception(options: ReceptionOptions): Promise<void> {
  const { daemon, life, lastId } = options
  const body = await daemon.openEvents(lastId, life.signal)
  life.hear()
  listen(options, body).catch(life.end)
  watch(options).catch(life.end)
}

async function listen({ life, number, onEnvelope }: ReceptionOptions, body: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const { data, id } of readSse(heard(body, life))) {
    const event = parseEvent(data)
    if (event && (event.account ?? number) === number) await onEnvelope(event.envelope, id)
  }
  throw fail('PLATFORM_LOST', { platform, detail: 'the daemon ended the events' })
}

/** Every byte is a sign of life, those of comments too. */
async function* heard(body: AsyncIterable<Uint8Array>, life: Life): AsyncGenerator<Uint8Array> {
  for await (const chunk of body) {
    life.hear()
    yield chunk
  }
}

async function watch({ life, clock }: ReceptionOptions): Promise<void> {
  while (!life.signal.aborted) {
    await clock.sleep(beatMs, life.signal)
    const quietMs = clock.now() - life.lastHeard()
    if (quietMs >= deadMs) throw fail('PLATFORM_SILENT', { platform, seconds: Math.round(quietMs / 1000) })
  }
}
