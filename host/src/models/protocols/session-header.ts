import type { ModelRequest } from '@agent/plugin-sdk'
import type { Endpoint } from '../request/endpoint.ts'

/** Says which conversation a request belongs to, so that the service finds what it has kept of it. */
export function sessionHeader({ quirks }: Pick<Endpoint, 'quirks'>, { session }: Pick<ModelRequest, 'session'>): Record<string, string> {
  return quirks.sessionHeader === undefined ? {} : { [quirks.sessionHeader]: session }
}
