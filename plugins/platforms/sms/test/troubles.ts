import type { Disturbance } from '@agent/plugin-sdk/testing'
import type { TwilioServer } from './twilio-server.ts'

const limit = { headers: { 'Retry-After': '1' }, body: '{"code":20429,"message":"Too Many Requests"}' }

/** What can go wrong with the next message to this server. */
export function troublesOf(server: TwilioServer): Readonly<Partial<Record<Disturbance, () => void>>> {
  return {
    limit: () => server.breakNext({ type: 'status', status: 429, ...limit }),
    error: () => server.breakNext({ type: 'status', status: 500 }),
    garbage: () => server.breakNext({ type: 'status', status: 200, body: '<html>' }),
    'lose-receipt': () => server.breakNext({ type: 'lose-answer' }),
  }
}
