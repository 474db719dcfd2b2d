import type { ClientCall, Clock, TurnEvent } from '@agent/plugin-sdk'
import type { AgentError } from '@agent/plugin-sdk/errors'
import { failureIn, finishReason, noResult } from '../answer/outbound.ts'
import { formatResponseUsage } from '../door/response-object.ts'
import { clientCode } from '../wire/failure.ts'
import type { RunLog } from './run-log.ts'

export type Question = Extract<TurnEvent, { type: 'approval.request' | 'clarify.request' }>
type RunStatus = 'started' | 'running' | 'waiting_for_approval' | 'stopping' | 'completed' | 'failed' | 'cancelled'

/** What is known of a run. */
export interface RunReport {
  /** What the turn asks and nobody has answered, the oldest first. */
  readonly questions: Map<string, Question>
  take(event: TurnEvent): void
  say(name: string, fields: object): void
  noteStop(): void
  /** The turn is over; its error is already known. */
  settle(error?: AgentError): void
  describe(): Readonly<Record<string, unknown>>
  /** Characters of the answer. */
  weight(): number
}

export interface RunReportOptions {
  readonly id: string
  readonly model: string
  readonly log: RunLog
  readonly clock: Clock
  readonly showReasoning: boolean
}

/** As responses say it. */
const cutBy: Readonly<Record<string, string>> = { length: 'max_output_tokens', content_filter: 'content_filter' }

export function createRunReport({ id, model, log, clock, showReasoning }: RunReportOptions): RunReport {
  const created = Math.floor(clock.now() / 1000)
  const questions = new Map<string, Question>()
  let status: RunStatus = 'started'
  let session: string | null = null
  let usage: Readonly<Record<string, unknown>> | null = null
  let output: string | undefined
  /** What the client is to run. */
  let calls: readonly ClientCall[] | undefined
  let incomplete: object = {}
  let failure: AgentError | undefined

  const say = (name: string, fields: object): void => log.push(name, { event: name, run_id: id, timestamp: clock.now() / 1000, ...fields })
  const outcomeOf = (): object => (status === 'completed' ? incomplete : status === 'failed' && failure ? describeFailure(failure) : {})

  function noteEnd(event: Extract<TurnEvent, { type: 'message.complete' }>): void {
    output = event.text
    calls = event.calls
    const reason = cutBy[finishReason(event.status, event.stop)]
    if (reason) incomplete = { incomplete_details: { reason } }
  }

  function note(event: TurnEvent): void {
    failure ??= failureIn(event)
    if (event.type === 'message.start') {
      session = event.session || null
      if (status === 'started') status = 'running'
    } else if (event.type === 'usage') usage = formatResponseUsage(event.usage)
    else if (event.type === 'message.complete') noteEnd(event)
    else if (event.type === 'approval.request' || event.type === 'clarify.request') questions.set(event.id, event)
    // The model speaks when every tool is done: whatever was asked is over.
    else if (event.type === 'message.delta') questions.clear()
  }

  return {
    questions,
    say,
    take(event) {
      note(event)
      const { type, ...fields } = event
      if (isShown(event, showReasoning)) say(type, fields)
    },
    noteStop() {
      status = 'stopping'
    },
    settle(error) {
      questions.clear()
      failure ??= error ?? (output === undefined ? noResult() : undefined)
      if (!failure) status = 'completed'
      else status = status === 'stopping' || failure.code === 'INTERRUPTED' ? 'cancelled' : 'failed'
      say(`run.${status}`, { output: output ?? '', ...(calls ? { calls } : {}), usage, ...outcomeOf() })
      log.end()
    },
    weight: () => output?.length ?? 0,
    describe: () => ({
      object: 'agent.run',
      run_id: id,
      status: questions.size > 0 && status === 'running' ? 'waiting_for_approval' : status,
      session_id: session,
      model,
      created_at: created,
      output: output ?? '',
      ...(calls ? { calls } : {}),
      usage,
      ...outcomeOf(),
      ...(questions.size > 0 ? { waiting_for: [...questions.values()] } : {}),
    }),
  }
}

const describeFailure = (failure: AgentError): object => ({ error: { code: clientCode(failure), message: failure.message } })

/** Every event of the turn under its own name. Tools whose name begins with `_` are the agent's own business. */
function isShown(event: TurnEvent, showReasoning: boolean): boolean {
  if (event.type === 'reasoning.delta') return showReasoning
  // A child agent begins and ends; what it calls meanwhile is in its result.
  if (event.type === 'subagent.tool') return false
  return !('name' in event) || !event.name.startsWith('_')
}
