import { createDisturbances, type PlatformCrowd } from '@agent/plugin-sdk/testing'
import type { DiscordServer } from './discord-server.ts'

const limit = { message: 'You are being rate limited.', retry_after: 1, global: false }

/** What can go wrong between this server and the bot. */
export function troublesOf(discord: DiscordServer): Pick<PlatformCrowd, 'disturb' | 'calm'> {
  return createDisturbances({
    server: discord.http,
    isSend: ({ method, url }) => /^(POST|PATCH)$/.test(method) && /^\/channels\/\d+\/messages/.test(url),
    limit: {
      ...{ type: 'status', status: 429 },
      headers: { 'Content-Type': 'application/json', 'Retry-After': '1' },
      body: JSON.stringify(limit),
    },
    repeat: () => discord.retell(),
  })
}
