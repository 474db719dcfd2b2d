import type { Call, Clock, ToolCall, ToolResult, ToolRun } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'

export interface RunOptions {
  readonly tool: string
  readonly timeoutMs: number
  readonly clock: Clock
}

/**
 * Runs a tool so that it cannot harm the turn: it is given a signal and a deadline, and the wait ends with them even when the tool ignores both.
 * Rejects with a coded error; a nonsense answer is one too.
 */
export async function runTool(run: ToolRun, toolCall: ToolCall, call: Call, { tool, timeoutMs, clock }: RunOptions): Promise<ToolResult> {
  if (call.signal.aborted) throw fail('INTERRUPTED')
  const allowed = Math.min(timeoutMs, call.deadline)
  const ended = new AbortController()
  const settled = new AbortController()
  // A refused sleep means that the tool was faster.
  void clock.sleep(allowed, settled.signal).then(
    () => ended.abort(fail('TIMED_OUT', { what: tool, ms: allowed })),
    () => undefined,
  )
  const interrupt = (): void => ended.abort(fail('INTERRUPTED'))
  call.signal.addEventListener('abort', interrupt, { once: true })
  try {
    const given = new Promise<never>((_resolve, reject) => {
      ended.signal.addEventListener('abort', () => reject(ended.signal.reason), { once: true })
    })
    const running = (async () => run(toolCall, { id: call.id, signal: ended.signal, deadline: allowed }))()
    return requireResult(tool, await Promise.race([running, given]))
  } catch (error) {
    if (isAgentError(error)) throw error
    throw fail('TOOL_FAILED', { tool, detail: error instanceof Error ? error.message : String(error) }, { cause: error })
  } finally {
    call.signal.removeEventListener('abort', interrupt)
    settled.abort()
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
