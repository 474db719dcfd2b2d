import type { Disturbance } from '@agent/plugin-sdk/testing'
import type { NtfyServer } from './ntfy-server.ts'

/** What can go wrong with the next message to this server. */
export function troublesOf(server: NtfyServer): Readonly<Partial<Record<Disturbance, () => void>>> {
  return {
    limit: () => server.breakNext({ type: 'status', status: 429, headers: { 'Retry-After': '1' }, body: '{"error":"limit reached"}' }),
    error: () => server.breakNext({ type: 'status', status: 500 }),
    garbage: () => server.breakNext({ type: 'status', status: 200, body: '<html>' }),
    'lose-receipt': () => server.breakNext({ type: 'lose-answer' }),
  }
}
