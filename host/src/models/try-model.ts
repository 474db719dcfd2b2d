import { type Clock, withTimeLimit } from '@agent/plugin-sdk'
import { fail, fromWireError } from '@agent/plugin-sdk/errors'
import { createCall } from '#kernel/calls/call.ts'
import type { ChatModel } from './open.ts'

const callMs = 60_000

/** Asks a model for one word, and gives back what it says. Rejects with the reason where it does not answer. */
export async function tryModel(
  { provider, model, stream }: ChatModel,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<string> {
  return withTimeLimit({ clock, signal, ms: callMs, what: `${provider}/${model}` }, async (limited) => {
    let said = ''
    for await (const event of stream(request(model), createCall(limited))) {
      if (event.type === 'failed') throw fromWireError(event.error)
      if (event.type === 'text') said += event.delta
    }
    if (limited.aborted) throw fail('INTERRUPTED')
    return said.trim()
  })
}

const request = (model: string) =>
  ({
    ...{ model, system: 'Answer with one word.', tools: [], session: 'ses_doctor' },
    messages: [{ role: 'user', parts: [{ type: 'text', text: 'Are you there?' }] }],
  }) as const
