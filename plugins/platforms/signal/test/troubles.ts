import { createDisturbances, type PlatformCrowd } from '@agent/plugin-sdk/testing'
import type { SignalDaemon } from './signal-daemon.ts'

const results = [{ type: 'RATE_LIMIT_FAILURE', retryAfterSeconds: 1 }]
const limit = { jsonrpc: '2.0', id: 'send', error: { code: -5, message: 'Failed due to rate limiting', data: { response: { results } } } }

/** What can go wrong between this daemon and the bot. */
export function troublesOf(daemon: SignalDaemon): Pick<PlatformCrowd, 'disturb' | 'calm'> {
  return createDisturbances({
    server: daemon.server,
    isSend: ({ body }) => Buffer.from(body).includes('"method":"send"'),
    limit: { type: 'status', status: 200, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(limit) },
    repeat: () => daemon.repeat(),
  })
}
