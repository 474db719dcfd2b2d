import type { Context } from './context.ts'
import type { ModelEvent, ModelRequest } from './model.ts'
import type { Call } from './wire.ts'

/** Default export of a provider's entry file. A provider that speaks a known protocol needs no entry: it is a manifest. */
export interface Provider<C = unknown> {
  open(context: Context<C>, call: Call): Promise<ModelSource>
}

export interface ModelSource {
  /** Never rejects and never throws while iterated: a failure is the last event. */
  stream(request: ModelRequest, call: Call): AsyncIterable<ModelEvent>
  /** Ids of the models on offer. Declared by the capability `models`. */
  models?(call: Call): Promise<readonly string[]>
}
