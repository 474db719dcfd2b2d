import type { HttpReply } from '@agent/plugin-sdk'

/** A reply that is a JSON value. */
export const json = (value: unknown, status = 200): HttpReply => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
})
