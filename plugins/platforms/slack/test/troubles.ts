import { createDisturbances, type PlatformCrowd } from '@agent/plugin-sdk/testing'
import type { SlackServer } from './slack-server.ts'

/** What can go wrong between this server and the bot. */
export function troublesOf(slack: SlackServer): Pick<PlatformCrowd, 'disturb' | 'calm'> {
  return createDisturbances({
    server: slack.http,
    isSend: ({ url }) => /\/chat\.(postMessage|update)$/.test(url),
    limit: { type: 'status', status: 429, headers: { 'Retry-After': '1' }, body: '{"ok":false,"error":"ratelimited"}' },
    repeat: () => slack.door.redeliver(),
  })
}
