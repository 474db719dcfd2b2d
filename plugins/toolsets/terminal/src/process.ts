import type { ArgsOf, Clock, ToolResult, ToolRun } from '@agent/plugin-sdk'
import { isOverWithin } from '@agent/plugin-sdk'
import type { BackgroundProcess } from './background-process.ts'
import { exitWords } from './exit-words.ts'
import type { Processes } from './processes.ts'
import type { tools } from './tools.ts'

type Arguments = ArgsOf<typeof tools, 'process'>
type Action = (process: BackgroundProcess, args: Arguments, signal: AbortSignal) => Promise<ToolResult>

const answerLimit = 50_000
const defaultWait = 60
const defaultLines = 100

/** The `process` tool: everything that can be done with a process in the background. */
export function createProcess(processes: Processes, clock: Clock): ToolRun<Arguments> {
  const actions: Readonly<Record<Exclude<Arguments['action'], 'list'>, Action>> = {
    poll: async (process) => shown(process, fresh(process), clock),
    log: async (process, { limit = defaultLines }) => {
      const lines = process.output.text().trimEnd().split('\n')
      return shown(process, lines.slice(-limit).join('\n'), clock)
    },
    async wait(process, { timeout = defaultWait }, signal) {
      process.awaited++
      await isOverWithin({ clock, signal, ms: timeout * 1000 }, process.ended)
      process.awaited--
      return shown(process, fresh(process), clock)
    },
    async kill(process) {
      process.awaited++
      await process.running.stop()
      await process.ended
      return shown(process, fresh(process), clock)
    },
    write: (process, { data = '' }) => feed(process, data),
    submit: (process, { data = '' }) => feed(process, `${data}\n`),
    async close(process) {
      process.running.stdin?.end()
      return { ok: true, text: `Closed the input of ${process.id}.` }
    },
  }
  return async ({ args, session }, { signal }) => {
    if (args.action === 'list') return listed(processes.list(session), clock)
    if (args.process_id === undefined) return refused(`${args.action} needs process_id`)
    const process = processes.find(session, args.process_id)
    if (!process) return refused(`there is no process ${args.process_id}; action list shows them`)
    return actions[args.action](process, args, signal)
  }
}

/** What came since the last look. */
function fresh(process: BackgroundProcess): string {
  const text = process.output.since(process.shown)
  process.shown = process.output.length()
  return text
}

async function feed(process: BackgroundProcess, data: string): Promise<ToolResult> {
  const { stdin } = process.running
  if (process.exit || !stdin?.writable) return refused(`${process.id} does not read input any more`)
  stdin.write(data)
  return { ok: true, text: `Sent ${data.length} characters to ${process.id}.` }
}

function shown(process: BackgroundProcess, output: string, clock: Clock): ToolResult {
  const cut = output.length > answerLimit ? `…${output.slice(-answerLimit)}` : output
  return { ok: true, text: [`${process.id} ${status(process, clock)}`, cut.trimEnd()].filter((line) => line !== '').join('\n') }
}

function status(process: BackgroundProcess, clock: Clock): string {
  if (process.exit) return `finished${process.exit.code === 0 ? '' : ` (${exitWords(process.exit)})`}`
  return `running for ${Math.round((clock.now() - process.startedAt) / 1000)} s`
}

function listed(processes: readonly BackgroundProcess[], clock: Clock): ToolResult {
  const lines = processes.map((process) => `${process.id} ${status(process, clock)}: ${process.command.slice(0, 200)}`)
  return { ok: true, text: lines.length === 0 ? 'There are no processes.' : lines.join('\n') }
}

function refused(detail: string): ToolResult {
  return { ok: false, error: { code: 'TOOL_FAILED', params: { tool: 'process', detail } } }
}
