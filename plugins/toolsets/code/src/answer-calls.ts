import { once } from 'node:events'
import type { Duplex, Readable } from 'node:stream'
import type { ToolCall, Wire } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { scriptTools } from './script-tools.ts'

export interface AnswerOptions {
  readonly tools: NonNullable<ToolCall['tools']>
  readonly most: number
}

export interface Answering {
  /** How many calls went to tools. */
  made(): number
}

interface Answer {
  readonly ok: boolean
  readonly text: string
  readonly data?: Wire
}

/** A longer line is no call: what a script writes into a file has its place below. */
const longestLine = 10_000_000

/** A script that goes on after so many refused calls is told nothing more. */
const mostRefused = 50

/** Answers the calls of a script, one after the other in their order; what comes meanwhile waits in the pipe, also until the script has read its answers. */
export function answerCalls(link: Duplex, { tools, most }: AnswerOptions): Answering {
  let made = 0
  let lines = 0

  async function answer(line: string): Promise<Answer> {
    const asked = readCall(line)
    if (asked === undefined) return { ok: false, text: 'this is no call of a tool' }
    const problem = problemOf(asked)
    if (problem !== undefined) return { ok: false, text: problem }
    if (made >= most) return { ok: false, text: `a script makes ${most} calls of tools at most (code_execution.max_tool_calls)` }
    made++
    return tools.call(asked.tool, asked.args)
  }

  async function follow(): Promise<void> {
    for await (const line of linesOf(link)) {
      lines++
      if (lines > most + mostRefused) throw new Error('the script goes on with calls that are refused')
      const found = await answer(line).catch((error: unknown): Answer => ({ ok: false, text: detailOf(error) }))
      const isTaken = link.write(`${JSON.stringify(found)}\n`)
      if (!isTaken && !link.destroyed) await Promise.race([once(link, 'drain'), once(link, 'close')])
    }
  }

  // A script that is killed takes its end of the pipe with it.
  link.on('error', () => undefined)
  follow().catch(() => link.destroy())
  return { made: () => made }
}

interface Asked {
  readonly tool: string
  readonly args: Readonly<Record<string, Wire>>
}

function readCall(line: string): Asked | undefined {
  try {
    const { tool, args } = JSON.parse(line) as Partial<Asked>
    return typeof tool === 'string' && typeof args === 'object' && args !== null ? { tool, args } : undefined
  } catch {
    return undefined
  }
}

function problemOf({ tool, args }: Asked): string | undefined {
  if (!Object.hasOwn(scriptTools, tool)) return `a script may call ${Object.keys(scriptTools).join(', ')}, and not ${tool.slice(0, 100)}`
  return tool === 'terminal' && args.background === true ? 'a script runs commands in the foreground only' : undefined
}

async function* linesOf(link: Readable): AsyncIterable<string> {
  let parts: string[] = []
  let length = 0
  link.setEncoding('utf8')
  for await (const text of link) {
    const [end = '', ...lines] = String(text).split('\n')
    parts.push(end)
    length += end.length
    for (const next of lines) {
      yield parts.join('')
      parts = [next]
      length = next.length
    }
    if (length > longestLine) throw new Error('the script wrote a call without an end')
  }
}
