import { createDisturbances, type PlatformCrowd } from '@agent/plugin-sdk/testing'
import type { HomeServer } from './home-server.ts'

/** What can go wrong between this server and the bot. */
export function troublesOf(home: HomeServer): Pick<PlatformCrowd, 'disturb' | 'calm'> {
  return createDisturbances({
    server: home.server,
    isSend: ({ method, url }) => method === 'POST' && url.startsWith('/api/services/'),
    limit: { type: 'status', status: 429, headers: { 'Retry-After': '1' }, body: '429: Too Many Requests' },
  })
}
