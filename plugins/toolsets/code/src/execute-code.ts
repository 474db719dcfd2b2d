import type { ArgsOf, Clock, CommandSandbox, ToolCall, ToolResult, ToolRun, WireError } from '@agent/plugin-sdk'
import { linkSignals } from '@agent/plugin-sdk'
import { fail, fromWireError, toWireError } from '@agent/plugin-sdk/errors'
import { cleanEnvironment } from './clean-environment.ts'
import type { CodeConfig } from './config.ts'
import { createInTurn } from './in-turn.ts'
import type { Limit, Ran } from './interpreter/interpreter.ts'
import type { Interpreters } from './interpreter/interpreters.ts'
import { interpreterWords, type Language, whyItEnded } from './interpreter-words.ts'
import type { tools } from './tools.ts'

type Arguments = ArgsOf<typeof tools, 'execute_code'>

export interface CodeOptions {
  readonly config: CodeConfig
  readonly sandbox: CommandSandbox
  readonly clock: Clock
  readonly interpreters: Interpreters
  /** Fires when the plugin is deactivated. */
  readonly life: AbortSignal
}

/** Nothing is written beside the script, and what it says is there when it is killed. */
const quiet = { PYTHONUNBUFFERED: '1', PYTHONIOENCODING: 'utf-8', PYTHONDONTWRITEBYTECODE: '1' }

/** The `execute_code` tool. */
export function createExecuteCode(options: CodeOptions): ToolRun<Arguments> {
  const { clock, config, life } = options
  const inTurn = createInTurn()
  return async (toolCall, call) => {
    const stop = linkSignals(call.signal, life)
    const limit = { clock, signal: stop.signal, ms: config.timeout * 1000 }
    try {
      return await inTurn(toolCall.session, limit, () => execute(options, toolCall, limit))
    } catch (error) {
      return { ok: false, error: toWireError(stop.signal.aborted ? fail('INTERRUPTED') : error) }
    } finally {
      stop[Symbol.dispose]()
    }
  }
}

async function execute(
  { sandbox, clock, config, interpreters }: CodeOptions,
  toolCall: ToolCall<Arguments>,
  limit: Limit,
): Promise<ToolResult> {
  const { args, session, workspace, tools } = toolCall
  const { code, language, reset } = args
  if (!tools) throw fail('PLUGIN_UNDECLARED', { plugin: 'toolset-code', access: 'tools', field: '"tools.call" in permissions.host' })
  const prepared = await sandbox.prepare({ session, workspace, argv: interpreterWords(language) })
  const environment = { ...cleanEnvironment(prepared.environment), ...quiet }
  const startedAt = clock.now()
  const taken = interpreters.take({ session, language, reset, start: { prepared, environment, folder: workspace } })
  let ran: Ran | undefined
  try {
    ran = await taken.interpreter.run({ code, calls: { tools, most: config.max_tool_calls } }, limit)
  } finally {
    taken.release(ran && !ran.isOver ? undefined : 'it ended with the script before')
  }
  const end = endOf(ran, language, limit)
  const told = { tool_calls_made: ran.made, duration_seconds: Math.round((clock.now() - startedAt) / 100) / 10 }
  const ended = { command: code, output: `${ran.output}${ran.errors}`, failed: end.status !== 'success' }
  const stopped = prepared.contained ? await sandbox.explain({ session, workspace, ...ended }) : undefined
  const notes = [...(stopped === undefined ? [] : [stopped]), ...stateNotes(taken.lost, ran)]
  return resultOf(end, ran, { ...told, ...(notes.length === 0 ? {} : { note: notes.join(' ') }) })
}

/** What the agent has to know of variables that it may count on. */
function stateNotes(lost: string | undefined, { isOver, hasBegun }: Ran): readonly string[] {
  const before = lost === undefined ? [] : [`The script began without what earlier ones had left; their interpreter is gone: ${lost}.`]
  return isOver && hasBegun ? [...before, 'The interpreter has ended, and with it all that scripts had left in it.'] : before
}

interface End {
  readonly status: 'success' | 'error' | 'timeout' | 'interrupted'
  readonly error?: WireError
}

function endOf({ exit }: Ran, language: Language, { signal, ms }: Limit): End {
  if (exit?.code === 0) return { status: 'success' }
  if (exit)
    return { status: 'error', error: toWireError(fail('TOOL_FAILED', { tool: 'execute_code', detail: whyItEnded(language, exit) })) }
  if (signal.aborted) return { status: 'interrupted', error: toWireError(fail('INTERRUPTED')) }
  return { status: 'timeout', error: toWireError(fail('TIMED_OUT', { what: 'The script', ms })) }
}

/** The same fields for the model and for doors, whatever came of it. */
function resultOf({ status, error }: End, { output, errors }: Ran, more: Readonly<Record<string, string | number>>): ToolResult {
  const problem = error ? { error: fromWireError(error).message } : {}
  const data = { status, output, ...(errors === '' ? {} : { stderr: errors }), ...problem, ...more }
  const text = JSON.stringify(data)
  return error ? { ok: false, error, text } : { ok: true, text, data }
}
