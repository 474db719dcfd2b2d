import type { TurnEvent, TurnRequest } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import type { Door } from '../door/door.ts'
import { toAgentError } from '../wire/failure.ts'
import { createRunLog, type RunLog } from './run-log.ts'
import { createRunReport, type RunReport } from './run-report.ts'

/** A turn that goes on whether somebody listens or not. */
export interface Run {
  readonly log: RunLog
  /** Milliseconds since 1970; undefined while it runs. */
  readonly endedAt: number | undefined
  /** Characters of what is kept of it. */
  weight(): number
  /** The run as clients read it. */
  describe(): Readonly<Record<string, unknown>>
  stop(): void
  /** Answers what the turn asks: the oldest question unless one is named. */
  answer(value: string, question: string | undefined): Promise<void>
}

export interface RunOptions {
  readonly id: string
  readonly turn: TurnRequest
  readonly model: string
  /** Called once, when it is over. */
  onEnd(): void
}

const noDeadline = 2 ** 31 - 1

/** Starts a turn and follows it to its end. What it was asked is not kept after that: nothing below holds the turn. */
export function startRun(door: Door, { id, turn, model, onEnd }: RunOptions): Run {
  const { clock, turns, signal } = door
  const log = createRunLog(door)
  const report = createRunReport({ id, model, log, clock, showReasoning: door.settings.showReasoning })
  const interrupt = new AbortController()
  const onClose = (): void => interrupt.abort(fail('INTERRUPTED'))
  let endedAt: number | undefined
  signal.addEventListener('abort', onClose, { once: true })
  void follow(turns.run(turn, { id, signal: interrupt.signal, deadline: noDeadline }), report).then((error) => {
    signal.removeEventListener('abort', onClose)
    endedAt = clock.now()
    report.settle(error)
    onEnd()
  })

  return {
    log,
    get endedAt() {
      return endedAt
    },
    weight: () => log.weight + report.weight(),
    describe: report.describe,
    stop() {
      if (endedAt !== undefined) return
      report.noteStop()
      interrupt.abort(fail('INTERRUPTED'))
    },
    async answer(value, named) {
      const { questions } = report
      const [oldest] = questions.keys()
      const question = questions.get(named ?? oldest ?? '')
      if (!question) throw fail('HTTP_RUN_NOT_ASKING', { run: id })
      if (question.type === 'approval.request' && !question.choices.some((choice) => choice === value)) {
        throw fail('HTTP_INVALID', { param: 'choice', problem: `must be one of ${question.choices.join(', ')}` })
      }
      questions.delete(question.id)
      if (!(await turns.answer(question.id, value))) throw fail('HTTP_RUN_NOT_ASKING', { run: id })
      report.say(question.type === 'approval.request' ? 'approval.responded' : 'clarify.responded', { id: question.id, choice: value })
    },
  }
}

async function follow(events: AsyncIterable<TurnEvent>, report: RunReport): Promise<AgentError | undefined> {
  try {
    for await (const event of events) report.take(event)
    return undefined
  } catch (error) {
    return toAgentError(error)
  }
}
