import { createDisturbances, type PlatformCrowd } from '@agent/plugin-sdk/testing'
import type { MatrixServer } from './matrix-server.ts'
import { bot } from './matrix-store.ts'

/** What can go wrong between this server and the bot. */
export function troublesOf(matrix: MatrixServer): Pick<PlatformCrowd, 'disturb' | 'calm'> {
  return createDisturbances({
    server: matrix.http,
    isSend: ({ method, url }) => method === 'PUT' && url.includes('/send/m.room.message/'),
    limit: {
      ...{ type: 'status', status: 429, headers: { 'Content-Type': 'application/json' } },
      body: '{"errcode":"M_LIMIT_EXCEEDED","error":"Too Many Requests","retry_after_ms":1000}',
    },
    repeat: () => {
      const { store } = matrix
      const last = store.stream.findLast(({ event }) => event.type === 'm.room.message' && event.sender !== bot)
      if (last) store.repeat(last.room, last.event)
    },
  })
}
