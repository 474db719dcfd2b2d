import type { ModelMessage, TurnStatus, Usage, WireError } from '@agent/plugin-sdk'
import { isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import type { AgentEnd } from '#tools/tool-turn.ts'
import { traceOf } from './tool-trace.ts'

/** What the turn of a child left behind. */
export interface ChildTurnEnd {
  readonly text: string
  readonly status: TurnStatus
  readonly messages: readonly ModelMessage[]
  readonly usage: Usage
  readonly calls: number
  readonly error?: WireError
  /** The model that answered at the end. */
  readonly model: string
}

/** The end of a child, for its parent. `reason`: why it was told to stop, where it was. */
export function endOfTurn(
  { text, status, messages, usage, calls, error, model }: ChildTurnEnd,
  { session, durationMs, reason }: { readonly session: string; readonly durationMs: number; readonly reason: unknown },
): AgentEnd {
  const isLate = isAgentError(reason, 'TIMED_OUT')
  const why = isLate ? toWireError(reason) : error
  return {
    ...{ session, text, model, durationMs, ...endings[status] },
    ...(isLate && status === 'interrupted' ? { status: 'timeout' } : {}),
    ...(why && status !== 'complete' ? { error: why } : {}),
    tokens: { input: usage.input, output: usage.output },
    apiCalls: calls,
    toolTrace: traceOf(messages),
  }
}

type Ending = Pick<AgentEnd, 'status' | 'exitReason'>

/** A turn that failed was cut off too: by its model, not by a person. */
const endings: { readonly [Status in TurnStatus]: Ending } = {
  complete: { status: 'completed', exitReason: 'completed' },
  length: { status: 'completed', exitReason: 'completed' },
  interrupted: { status: 'interrupted', exitReason: 'interrupted' },
  failed: { status: 'failed', exitReason: 'interrupted' },
  'max-iterations': { status: 'failed', exitReason: 'max_iterations' },
}

/** The end of a child whose turn could not begin, or did not end in time. */
export function endOfFailure(
  error: unknown,
  { session, durationMs, model }: { readonly session: string; readonly durationMs: number; readonly model: string },
): AgentEnd {
  const nothing = { text: '', model, tokens: { input: 0, output: 0 }, apiCalls: 0, toolTrace: [] }
  const wire = toWireError(error)
  const status = wire.code === 'TIMED_OUT' ? 'timeout' : wire.code === 'INTERRUPTED' ? 'interrupted' : 'failed'
  return { ...nothing, session, durationMs, status, exitReason: 'interrupted', error: wire }
}
