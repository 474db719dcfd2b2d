import type { Disturbance } from '@agent/plugin-sdk/testing'
import type { GraphServer } from './graph-server.ts'

/** What can go wrong with the next message to this server. */
export function troublesOf(server: GraphServer): Readonly<Partial<Record<Disturbance, () => void>>> {
  return {
    limit: () => server.breakNext({ type: 'error', status: 400, code: 131_056, message: 'Pair rate limit hit' }),
    error: () => server.breakNext({ type: 'status', status: 500 }),
    garbage: () => server.breakNext({ type: 'status', status: 200, body: '<html>' }),
    'lose-receipt': () => server.breakNext({ type: 'lose-answer' }),
  }
}
