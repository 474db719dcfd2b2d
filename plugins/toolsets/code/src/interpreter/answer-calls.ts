import { once } from 'node:events'
import type { Duplex } from 'node:stream'
import type { ToolCall, Wire } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { linesOf } from './lines-of.ts'
import { scriptTools } from './script-tools.ts'

export interface AnswerOptions {
  readonly tools: NonNullable<ToolCall['tools']>
  readonly most: number
}

/** The pipe of an interpreter, on which scripts call tools. */
export interface Calls {
  /** A script begins: its calls are answered until it is over. */
  begin(options: AnswerOptions): Answering
}

export interface Answering {
  /** How many calls went to tools. */
  made(): number
  /** The script is over. */
  end(): void
}

interface Answer {
  readonly ok: boolean
  readonly text: string
  readonly data?: Wire
}

/** A script that goes on after so many refused calls is told nothing more, nor is what an earlier one left behind. */
const mostRefused = 50

/** Answers the calls of scripts, one after the other in their order; what comes meanwhile waits in the pipe, also until the script has read its answers. */
export function answerCalls(link: Duplex): Calls {
  let current: (AnswerOptions & { made: number }) | undefined
  let lines = 0

  async function answer(line: string): Promise<Answer> {
    const now = current
    if (now === undefined) return { ok: false, text: 'tools answer only while a script runs' }
    const asked = readCall(line)
    if (asked === undefined) return { ok: false, text: 'this is no call of a tool' }
    const problem = problemOf(asked)
    if (problem !== undefined) return { ok: false, text: problem }
    const { most } = now
    if (now.made >= most) return { ok: false, text: `a script makes ${most} calls of tools at most (code_execution.max_tool_calls)` }
    now.made++
    return now.tools.call(asked.tool, asked.args)
  }

  async function follow(): Promise<void> {
    for await (const line of linesOf(link)) {
      lines++
      if (lines > (current?.most ?? 0) + mostRefused) throw new Error('the script goes on with calls that are refused')
      const found = await answer(line).catch((error: unknown): Answer => ({ ok: false, text: detailOf(error) }))
      const isTaken = link.write(`${JSON.stringify(found)}\n`)
      if (!isTaken && !link.destroyed) await Promise.race([once(link, 'drain'), once(link, 'close')])
    }
  }

  // A script that is killed takes its end of the pipe with it.
  link.on('error', () => undefined)
  follow().catch(() => link.destroy())
  return {
    begin(options) {
      const mine = { ...options, made: 0 }
      current = mine
      lines = 0
      return {
        made: () => mine.made,
        end() {
          if (current === mine) current = undefined
        },
      }
    },
  }
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
