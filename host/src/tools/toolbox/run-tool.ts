import type { Call, Clock, ToolCall, ToolResult, ToolRun } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import { passCall } from '#kernel/calls/call.ts'

export interface RunToolOptions {
  readonly tool: string
  readonly timeoutMs: number
  readonly clock: Clock
}

/**
 * Runs a tool so that it cannot harm the turn: it is given a signal and a deadline, and the wait ends with them even when the tool ignores both.
 * Rejects with a coded error; a nonsense answer is one too.
 */
export async function runTool(
  run: ToolRun,
  toolCall: ToolCall,
  call: Call,
  { tool, timeoutMs, clock }: RunToolOptions,
): Promise<ToolResult> {
  try {
    return requireResult(tool, await passCall(call, { clock, ms: timeoutMs, what: tool }, (own) => run(toolCall, own)))
  } catch (error) {
    if (isAgentError(error)) throw error
    throw fail('TOOL_FAILED', { tool, detail: detailOf(error) }, { cause: error })
  }
}

function requireResult(tool: string, result: unknown): ToolResult {
  if (typeof result === 'object' && result !== null && 'ok' in result) {
    if (result.ok === true && 'text' in result && typeof result.text === 'string') return result as ToolResult
    if (result.ok === false && 'error' in result && isWireError(result.error)) return result as ToolResult
  }
  throw fail('TOOL_FAILED', { tool, detail: 'it answered with something that is not a tool result' })
}

function isWireError(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'code' in value && typeof value.code === 'string' && 'params' in value
}
