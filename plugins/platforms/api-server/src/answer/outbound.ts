import type { ClientCall, StopReason, TurnEvent, TurnStatus, Usage } from '@agent/plugin-sdk'
import { type AgentError, fail, fromWireError } from '@agent/plugin-sdk/errors'
import type { Config } from '../door/config.ts'
import { textArgumentOf } from '../wire/client-tools.ts'
import { formatEnvelope } from '../wire/failure.ts'

/** What is the same for every part of one answer. */
export interface AnswerHead {
  readonly id: string
  /** Seconds since 1970. */
  readonly created: number
  readonly model: string
}

export interface StreamOptions {
  /** Names of the client's tools that take text. */
  readonly custom: ReadonlySet<string>
  readonly includeUsage: boolean
  readonly showReasoning: boolean
  readonly toolProgress: Config['tool_progress']
}

/** Turns the events of one turn into the lines of a chat completion stream. */
export interface ChunkWriter {
  /** The first line: who speaks. */
  readonly start: string
  /** Empty for an event that clients are not told about. */
  format(event: TurnEvent): string
  /** A failure after the first byte. */
  formatFailure(error: AgentError): string
  /** True where the answer begins with the turn and not with its first word: a failure is then told in the stream. */
  readonly eager?: boolean
  /** True after the last line. */
  readonly ended: boolean
}

export const noUsage: Usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const streamEnd = 'data: [DONE]\n\n'
export const keepAliveLine = ': keepalive\n\n'

/** The lines of a stream. The constant text around a delta is made once per answer. */
function createLines(head: AnswerHead, { includeUsage, toolProgress }: StreamOptions) {
  const about = JSON.stringify({ id: head.id, object: 'chat.completion.chunk', created: head.created, model: head.model }).slice(0, -1)
  const open = `data: ${about},"choices":[{"index":0,"delta":`
  const noUsageYet = includeUsage ? ',"usage":null' : ''
  const close = `,"finish_reason":null}]${noUsageYet}}\n\n`
  const content = `${open}{"content":`
  const reasoning = `${open}{"reasoning_content":`
  const deltaEnd = `}${close}`
  return {
    start: `${open}{"role":"assistant","content":""}${close}`,
    content: (text: string): string => content + JSON.stringify(text) + deltaEnd,
    reasoning: (text: string): string => reasoning + JSON.stringify(text) + deltaEnd,
    tool(tool: string, label: string, id: string, status: 'running' | 'completed'): string {
      if (toolProgress === 'off' || tool.startsWith('_')) return ''
      const progress = JSON.stringify({ tool, label, toolCallId: id, status })
      if (toolProgress === 'comment') return `: agent.tool.progress ${progress}\n\n`
      // Clients read every data line as a chunk, whatever the event's name: so it is one, without choices.
      return `event: agent.tool.progress\ndata: ${about},"choices":[]${noUsageYet},"tool_progress":${progress}}\n\n`
    },
    calls: (calls: readonly Readonly<Record<string, unknown>>[]): string => {
      return calls.map((call, index) => `${open}{"tool_calls":[${JSON.stringify({ index, ...call })}]}${close}`).join('')
    },
    end(reason: string, usage: Usage): string {
      const finish = `${open}{},"finish_reason":"${reason}"}]${noUsageYet}}\n\n`
      const count = includeUsage ? `data: ${about},"choices":[],"usage":${JSON.stringify(formatUsage(usage))}}\n\n` : ''
      return finish + count + streamEnd
    },
  }
}

/** Calls of tools that ran here are never shown as calls: a client would run them. */
export function createChunkWriter(head: AnswerHead, options: StreamOptions): ChunkWriter {
  let lines = createLines(head, options)
  const { start } = lines
  let usage = noUsage
  let saidText = false
  let toolRan = false
  let ended = false

  function formatText(text: string): string {
    if (text === '') return ''
    // What is said after a tool ran is a separate paragraph.
    const gap = toolRan && saidText && !text.startsWith('\n') ? '\n\n' : ''
    toolRan = false
    saidText = true
    return lines.content(gap + text)
  }

  function formatEnd(event: Extract<TurnEvent, { type: 'message.complete' }>): string {
    ended = true
    const late = saidText ? '' : formatText(event.text)
    return late + lines.calls(formatCalls(event.calls, options.custom)) + lines.end(finishReason(event.status, event.stop), usage)
  }

  function formatFailure(error: AgentError): string {
    if (ended) return ''
    ended = true
    return `data: ${formatEnvelope(error)}\n\n${streamEnd}`
  }

  function format(event: TurnEvent): string {
    const failure = failureIn(event)
    if (failure) return formatFailure(failure)
    switch (event.type) {
      case 'message.delta':
        return formatText(event.text)
      case 'reasoning.delta':
        return options.showReasoning ? lines.reasoning(event.text) : ''
      case 'tool.start':
        return lines.tool(event.name, event.preview, event.id, 'running')
      case 'tool.complete':
        toolRan = true
        return lines.tool(event.name, '', event.id, 'completed')
      case 'usage':
        usage = event.usage
        return ''
      case 'status':
        // From here on the model is named that really answers.
        if (event.kind === 'fallback') lines = createLines({ ...head, model: event.model }, options)
        return ''
      case 'message.complete':
        return formatEnd(event)
      default:
        return ''
    }
  }

  return {
    start,
    format,
    formatFailure,
    get ended() {
      return ended
    },
  }
}

/** The error that an event tells of: one that it carries, or an end that says nothing more. */
export function failureIn(event: TurnEvent): AgentError | undefined {
  if (event.type === 'error') return fromWireError(event.error)
  if (event.type !== 'message.complete') return undefined
  if (event.status === 'interrupted') return fail('INTERRUPTED')
  return event.status === 'failed' ? noResult() : undefined
}

/** The error of a turn that ended without saying why. */
export const noResult = (): AgentError => fail('INTERNAL', { detail: 'the turn ended without a result' })

/** The calls that the client is to run. */
export function formatCalls(calls: readonly ClientCall[] = [], custom: ReadonlySet<string>): readonly Readonly<Record<string, unknown>>[] {
  return calls.map(({ id, name, args }) => {
    if (custom.has(name)) return { id, type: 'custom', custom: { name, input: textArgumentOf(args) } }
    return { id, type: 'function', function: { name, arguments: args || '{}' } }
  })
}

export function finishReason(status: TurnStatus, stop: StopReason): 'stop' | 'tool_calls' | 'length' | 'content_filter' {
  if (stop === 'content-filter') return 'content_filter'
  if (stop === 'tool-calls') return 'tool_calls'
  return status === 'complete' && stop !== 'length' ? 'stop' : 'length'
}

/** Token counts under the names that clients read. */
export function formatUsage(usage: Usage): Record<string, unknown> {
  return {
    prompt_tokens: usage.input,
    completion_tokens: usage.output,
    total_tokens: usage.input + usage.output,
    prompt_tokens_details: { cached_tokens: usage.cacheRead },
    completion_tokens_details: { reasoning_tokens: usage.reasoning },
  }
}
