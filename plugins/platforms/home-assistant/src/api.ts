import type { Context } from '@agent/plugin-sdk'
import type { Settings } from './settings.ts'

export const platform = 'Home Assistant'

/** Asks the REST API; `path` begins below `/api`. */
export type Api = (path: string, signal: AbortSignal, body?: unknown) => Promise<Response>

export function createApi({ fetch }: Pick<Context, 'fetch'>, { url, token }: Settings): Api {
  return (path, signal, body) =>
    fetch(`${url}/api${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      // The token goes to nobody else.
      redirect: 'manual',
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
}
