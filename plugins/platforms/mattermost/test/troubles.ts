import { createDisturbances, type PlatformCrowd } from '@agent/plugin-sdk/testing'
import type { MattermostServer } from './mattermost-server.ts'

/** What can go wrong between this server and the bot. */
export function troublesOf(mattermost: MattermostServer): Pick<PlatformCrowd, 'disturb' | 'calm'> {
  return createDisturbances({
    server: mattermost.http,
    isSend: ({ method, url }) => (method === 'POST' && url === '/api/v4/posts') || /\/patch$/.test(url),
    limit: { type: 'status', status: 429, headers: { 'Retry-After': '1' }, body: 'limit exceeded' },
    repeat: () => mattermost.retell(),
  })
}
