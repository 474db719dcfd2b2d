import type { ModelEvent, ModelRequest } from '../../contract/model.ts'
import type { Call } from '../../contract/wire.ts'
import type { Provider } from '../../kinds/provider.ts'

export type Speak = (request: ModelRequest, call: Call) => AsyncIterable<ModelEvent>

const usage = { input: 3, output: 2, cacheRead: 0, cacheWrite: 0, reasoning: 0 }

/** What the model of the request's name says. */
export async function* speak({ model, tools }: ModelRequest, { signal }: Call): AsyncIterable<ModelEvent> {
  if (model === 'failing') {
    yield {
      type: 'failed',
      class: 'server_error',
      error: { code: 'MODEL_SERVER_ERROR', params: { provider: 'parrot', detail: 'no voice' } },
    }
    return
  }
  if (model === 'calls') {
    for (const [index, tool] of tools.entries()) yield { type: 'call', id: `call_${index}`, name: tool.name, args: '{}' }
    yield { type: 'end', reason: 'tool-calls', usage }
    return
  }
  yield { type: 'text', delta: 'Hello.' }
  for (; model === 'endless' && !signal.aborted; await new Promise((resolve) => setImmediate(resolve)))
    yield { type: 'text', delta: ' Again.' }
  yield { type: 'end', reason: 'stop', usage }
}

/** A provider that keeps every rule while `say` is the sound one. */
export function parrot(say: Speak = speak): Provider {
  return { open: async () => ({ stream: say }) }
}
