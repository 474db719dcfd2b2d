import type { ArgsOf, Call, Clock, CommandSandbox, ToolCall, ToolResult, ToolRun, WireError } from '@agent/plugin-sdk'
import { isOverWithin, linkSignals } from '@agent/plugin-sdk'
import { fail, fromWireError, toWireError } from '@agent/plugin-sdk/errors'
import { answerCalls } from './answer-calls.ts'
import { cleanEnvironment } from './clean-environment.ts'
import type { CodeConfig } from './config.ts'
import { interpreterWords, type Language, whyItEnded } from './interpreter-words.ts'
import { type RunningScript, startScript } from './start-script.ts'
import type { tools } from './tools.ts'

type Arguments = ArgsOf<typeof tools, 'execute_code'>

export interface CodeOptions {
  readonly config: CodeConfig
  readonly sandbox: CommandSandbox
  readonly clock: Clock
  /** Fires when the plugin is deactivated. */
  readonly life: AbortSignal
}

/** Nothing is written beside the script, and what it says is there when it is killed. */
const quiet = { PYTHONUNBUFFERED: '1', PYTHONIOENCODING: 'utf-8', PYTHONDONTWRITEBYTECODE: '1' }

/** The `execute_code` tool. */
export function createExecuteCode(options: CodeOptions): ToolRun<Arguments> {
  return async (toolCall, call) => {
    try {
      return await execute(options, toolCall, call)
    } catch (error) {
      return { ok: false, error: toWireError(error) }
    }
  }
}

async function execute(options: CodeOptions, toolCall: ToolCall<Arguments>, call: Call): Promise<ToolResult> {
  const { sandbox, clock, config, life } = options
  const { args, session, workspace, tools } = toolCall
  if (!tools) throw fail('PLUGIN_UNDECLARED', { plugin: 'toolset-code', access: 'tools', field: '"tools.call" in permissions.host' })
  const argv = interpreterWords(args.language)
  const prepared = await sandbox.prepare({ session, workspace, argv })
  const environment = { ...cleanEnvironment(prepared.environment), ...quiet }
  const startedAt = clock.now()
  const script = startScript({ prepared, environment, folder: workspace, code: args.code, clock })
  const calls = answerCalls(script.link, { tools, most: config.max_tool_calls })
  const stop = linkSignals(call.signal, life)
  try {
    const end = await untilEnd(script, args.language, { clock, signal: stop.signal, ms: config.timeout * 1000 })
    const told = { tool_calls_made: calls.made(), duration_seconds: Math.round((clock.now() - startedAt) / 100) / 10 }
    const failed = end.status !== 'success'
    const output = `${script.output.text()}${script.errors.text()}`
    const stopped = prepared.contained ? await sandbox.explain({ session, workspace, command: args.code, output, failed }) : undefined
    return resultOf(end, script, { ...told, ...(stopped === undefined ? {} : { note: stopped }) })
  } finally {
    stop[Symbol.dispose]()
    script.kill()
  }
}

interface End {
  readonly status: 'success' | 'error' | 'timeout' | 'interrupted'
  readonly error?: WireError
}

async function untilEnd(
  { ended, kill }: RunningScript,
  language: Language,
  limit: { readonly clock: Clock; readonly signal: AbortSignal; readonly ms: number },
): Promise<End> {
  if (await isOverWithin(limit, ended)) {
    const exit = await ended
    if (exit.code === 0) return { status: 'success' }
    return { status: 'error', error: toWireError(fail('TOOL_FAILED', { tool: 'execute_code', detail: whyItEnded(language, exit) })) }
  }
  kill()
  await ended
  if (limit.signal.aborted) return { status: 'interrupted', error: toWireError(fail('INTERRUPTED')) }
  return { status: 'timeout', error: toWireError(fail('TIMED_OUT', { what: 'The script', ms: limit.ms })) }
}

/** The same fields for the model and for doors, whatever came of it. */
function resultOf({ status, error }: End, { output, errors }: RunningScript, more: Readonly<Record<string, string | number>>): ToolResult {
  const said = errors.text()
  const problem = error ? { error: fromWireError(error).message } : {}
  const data = { status, output: output.text(), ...(said === '' ? {} : { stderr: said }), ...problem, ...more }
  const text = JSON.stringify(data)
  return error ? { ok: false, error, text } : { ok: true, text, data }
}
