import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { ArgsOf, Call, Clock, CommandSandbox, ToolCall, ToolResult, ToolRun } from '@agent/plugin-sdk'
import { isOverWithin } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { TerminalConfig } from './config.ts'
import { type Exit, exitWords } from './exit-words.ts'
import { createHeadAndTail, type Output } from './output.ts'
import type { Processes } from './processes.ts'
import { shellScript, stateVariable } from './shell-script.ts'
import type { ShellState, ShellStates } from './shell-state.ts'
import { type Running, type Start, startCommand } from './start-command.ts'
import type { tools } from './tools.ts'

type Arguments = ArgsOf<typeof tools, 'terminal'>

export interface TerminalOptions {
  readonly config: TerminalConfig
  readonly states: ShellStates
  readonly processes: Processes
  readonly clock: Clock
  readonly sandbox: CommandSandbox
}

const outputLimit = 50_000
const progressPause = 500
/** Programs that would wait for a person end instead. */
const quiet = { PAGER: 'cat', GIT_PAGER: 'cat', GIT_TERMINAL_PROMPT: '0', DEBIAN_FRONTEND: 'noninteractive' }

/** The `terminal` tool. Each command is a separate shell, which starts where the last one of the session ended. */
export function createTerminal(options: TerminalOptions): ToolRun<Arguments> {
  return async (toolCall, call) => {
    const { args, session, workspace } = toolCall
    if (!(await isFolder(workspace))) return refused(`there is no folder ${workspace}`)
    // Outside nothing counts that a command in the sandbox has set.
    // What a script of a skill is told no later command finds, and no earlier one has changed how it is started.
    const keeps = options.config.persistent_shell && args.outside !== true && toolCall.secrets === undefined
    const state = keeps ? options.states.of(session, workspace) : { folder: workspace }
    const folder = toolCall.folder ?? (args.workdir === undefined ? state.folder : resolve(workspace, args.workdir))
    const from = { state, folder, tells: keeps && args.background !== true }
    const start = await prepare(options, toolCall, from)
    return args.background ? runBehind(options, start, toolCall) : runAndWait(options, start, { toolCall, call, folder })
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (about) => about.isDirectory(),
    () => false,
  )
}

type Prepared = Omit<Start, 'stdin' | 'onOutput'>

interface From {
  readonly state: ShellState
  readonly folder: string
  readonly tells: boolean
}

async function prepare(
  { sandbox, clock }: TerminalOptions,
  toolCall: ToolCall<Arguments>,
  { state, folder, tells }: From,
): Promise<Prepared> {
  const { args, session, workspace } = toolCall
  const shell = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh'
  const mark = randomUUID()
  const script = shellScript({ mark, shell, folder, moves: folder !== state.folder, tells })
  // Its input is a socket, for which bash would read the user's start-up file.
  const argv = [shell, ...(shell === '/bin/bash' ? ['--norc'] : []), '-c', script, shell, args.command]
  const prepared = await sandbox.prepare({ session, workspace, argv, outside: args.outside === true })
  const own = { ...quiet, ...prepared.environment, ...toolCall.secrets }
  const environment = state.variables === undefined ? own : { [stateVariable]: state.variables }
  return { prepared, folder: workspace, mark, environment, clock }
}

function runBehind({ processes }: TerminalOptions, start: Prepared, { args, session }: ToolCall<Arguments>): ToolResult {
  const process = processes.start(session, args.command, (onOutput) => startCommand({ ...start, stdin: 'pipe', onOutput }))
  // The number means nothing to commands that have their own process table.
  const pid = process.running.isAlone ? '' : ` (pid ${process.pid})`
  return { ok: true, text: `Started ${process.id}${pid}.`, data: { process_id: process.id } }
}

interface Asked {
  readonly toolCall: ToolCall<Arguments>
  readonly call: Call
  /** Where it starts. */
  readonly folder: string
}

async function runAndWait(options: TerminalOptions, start: Prepared, { toolCall, call, folder }: Asked): Promise<ToolResult> {
  const { states, processes, clock, config } = options
  const { args, session } = toolCall
  const output = createHeadAndTail(outputLimit)
  const running = startCommand({ ...start, stdin: 'ignore', onOutput: watched(output, toolCall, clock) })
  const forget = processes.track(running)
  try {
    const limit = (args.timeout ?? Math.min(config.timeout, 600)) * 1000
    const end = await untilEnd(running, limit, clock, call.signal)
    if (end === 'interrupted') return { ok: false, error: { code: 'INTERRUPTED', params: {} } }
    if (end === 'timeout') {
      const note = `(not finished after ${limit / 1000} s, killed with everything it started; use background for long commands)`
      return { ok: false, error: { code: 'TIMED_OUT', params: { what: 'terminal', ms: limit } }, text: joined(output.text(), note) }
    }
    const told = running.told()
    states.keep(session, told, { folder: args.workdir === undefined })
    const next = args.workdir === undefined ? told?.folder : undefined
    const moved = next === undefined || next === folder ? '' : `(now in ${next})`
    const notes = running.contained ? await sandboxNotes(options, running, end, output.text(), toolCall) : []
    return { ...finished(output.text(), end, [moved, ...notes]), ...(next === undefined ? {} : { folder: next }) }
  } catch (error) {
    return refused(`the shell could not be started (${detailOf(error)})`)
  } finally {
    forget()
  }
}

/** What is different in a sandbox, where it matters. */
async function sandboxNotes(
  { sandbox }: TerminalOptions,
  running: Running,
  exit: Exit,
  output: string,
  { args, session, workspace }: ToolCall<Arguments>,
): Promise<readonly string[]> {
  const left = running.isAlone && running.told()?.leaves ? '(what it left running has ended with it; background: true keeps a process)' : ''
  const stopped = await sandbox.explain({ session, workspace, command: args.command, output, failed: exit.code !== 0 })
  return [left, stopped === undefined ? '' : `(${stopped} outside: true with a reason asks a person to run it without the sandbox.)`]
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

function finished(output: string, exit: Exit, notes: readonly string[]): ToolResult & { readonly ok: true } {
  const words = exitWords(exit)
  const text = joined(output, words && `(${words})`, ...notes)
  return { ok: true, text: text === '' ? '(no output)' : text, data: { exit_code: exit.code ?? -1 } }
}

const joined = (...parts: readonly string[]): string =>
  parts
    .map((part) => part.trimEnd())
    .filter((part) => part !== '')
    .join('\n')

function refused(detail: string): ToolResult {
  return { ok: false, error: { code: 'TOOL_FAILED', params: { tool: 'terminal', detail } } }
}
