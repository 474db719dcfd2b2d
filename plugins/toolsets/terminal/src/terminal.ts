import { rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ArgsOf, Call, Clock, ToolCall, ToolResult, ToolRun } from '@agent/plugin-sdk'
import { isOverWithin } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { TerminalConfig } from './config.ts'
import { type Exit, exitWords } from './exit-words.ts'
import { createHeadAndTail, type Output } from './output.ts'
import type { Processes } from './processes.ts'
import { shellScript } from './shell-script.ts'
import type { ShellStates } from './shell-state.ts'
import { type Running, startCommand } from './start-command.ts'
import type { tools } from './tools.ts'

type Arguments = ArgsOf<typeof tools, 'terminal'>

export interface TerminalOptions {
  readonly config: TerminalConfig
  readonly states: ShellStates
  readonly processes: Processes
  readonly clock: Clock
  environment(): Promise<Readonly<Record<string, string>>>
}

const outputLimit = 50_000
const progressPause = 500
/** Programs that would wait for a person end instead. */
const quiet = { PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0', DEBIAN_FRONTEND: 'noninteractive' }

/** The `terminal` tool. Each command is a shell of its own, which starts where the last one of the session ended. */
export function createTerminal(options: TerminalOptions): ToolRun<Arguments> {
  return async (toolCall, call) => {
    const { args, session, workspace } = toolCall
    const state = options.config.persistent_shell ? await options.states.of(session, workspace) : { folder: workspace }
    const folder = toolCall.folder ?? (args.workdir === undefined ? state.folder : resolve(workspace, args.workdir))
    const missing = await stat(folder).then(
      (about) => !about.isDirectory(),
      () => true,
    )
    if (missing) return refused(`there is no folder ${folder}`)
    const environment = state.variables === undefined ? { ...quiet, ...(await options.environment()) } : {}
    const start = {
      folder,
      environment,
      argument: args.command,
      clock: options.clock,
      ...(state.variables === undefined ? {} : { variables: state.variables }),
    }
    return args.background ? runBehind(options, start, session) : runAndWait(options, start, toolCall, call)
  }
}

interface StartFrom {
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly argument: string
  readonly clock: Clock
  readonly variables?: string
}

function runBehind({ processes }: TerminalOptions, start: StartFrom, session: string): ToolResult {
  const process = processes.start(session, start.argument, (onOutput) =>
    startCommand({ ...start, script: shellScript(start), stdin: 'pipe', onOutput }),
  )
  return { ok: true, text: `Started ${process.id} (pid ${process.pid}).`, data: { process_id: process.id } }
}

async function runAndWait(options: TerminalOptions, start: StartFrom, toolCall: ToolCall<Arguments>, call: Call): Promise<ToolResult> {
  const { states, processes, clock, config } = options
  const { args, session } = toolCall
  const draft = config.persistent_shell ? await states.draft() : undefined
  const output = createHeadAndTail(outputLimit)
  const onOutput = watched(output, toolCall, clock)
  const running = startCommand({ ...start, script: shellScript({ ...start, ...(draft ? { draft } : {}) }), stdin: 'ignore', onOutput })
  const forget = processes.track(running)
  try {
    const limit = (args.timeout ?? Math.min(config.timeout, 600)) * 1000
    const end = await untilEnd(running, limit, clock, call.signal)
    if (end === 'interrupted') return { ok: false, error: { code: 'INTERRUPTED', params: {} } }
    if (end === 'timeout') {
      const note = `(not finished after ${limit / 1000} s, killed with everything it started; use background for long commands)`
      return { ok: false, error: { code: 'TIMED_OUT', params: { what: 'terminal', ms: limit } }, text: joined(output.text(), note) }
    }
    if (draft) await states.keep(session, draft, { folder: args.workdir === undefined })
    return finished(output.text(), end, start, await folderAfter(options, toolCall))
  } catch (error) {
    return refused(`the shell could not be started (${detailOf(error)})`)
  } finally {
    forget()
    if (start.variables !== undefined) await rm(start.variables, { force: true })
  }
}

/** The exit, or why it was not waited for; then the whole group is gone. */
async function untilEnd(running: Running, limit: number, clock: Clock, signal: AbortSignal): Promise<Exit | 'timeout' | 'interrupted'> {
  if (await isOverWithin({ clock, signal, ms: limit }, running.ended)) return running.ended
  if (signal.aborted) {
    running.kill()
    return 'interrupted'
  }
  await running.stop()
  return 'timeout'
}

/** Passes the last line on to the watchers, now and then. */
function watched(output: Output, toolCall: ToolCall<Arguments>, clock: Clock): (text: string) => void {
  let last = clock.now()
  return (text) => {
    output.push(text)
    if (clock.now() - last < progressPause) return
    last = clock.now()
    const line = text.trimEnd().split('\n').at(-1)
    if (line) toolCall.progress(line.slice(-200))
  }
}

/** Where the next command starts; undefined when this one has no say in it. */
async function folderAfter(
  { states, config }: TerminalOptions,
  { args, session, workspace }: ToolCall<Arguments>,
): Promise<string | undefined> {
  if (!config.persistent_shell || args.workdir !== undefined) return undefined
  return (await states.of(session, workspace)).folder
}

function finished(output: string, exit: Exit, start: StartFrom, folder: string | undefined): ToolResult {
  const words = exitWords(exit)
  const note = folder === undefined || folder === start.folder ? '' : `(now in ${folder})`
  const text = joined(output, words && `(${words})`, note)
  return { ok: true, text: text === '' ? '(no output)' : text, data: { exit_code: exit.code ?? -1 }, ...(folder ? { folder } : {}) }
}

const joined = (...parts: readonly string[]): string =>
  parts
    .map((part) => part.trimEnd())
    .filter((part) => part !== '')
    .join('\n')

function refused(detail: string): ToolResult {
  return { ok: false, error: { code: 'TOOL_FAILED', params: { tool: 'terminal', detail } } }
}
