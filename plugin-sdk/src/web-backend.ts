import type { Context } from './context.ts'
import type { WebSource } from './web.ts'
import type { Call } from './wire.ts'

/** Default export of a web backend's entry file. */
export interface WebBackend<C = unknown> {
  open(context: Context<C>, call: Call): Promise<WebSource>
}
