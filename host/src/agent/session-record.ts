import type { ModelMessage, Usage } from '@agent/plugin-sdk'
import type { NewSession, Sessions, TurnRows } from '#store/sessions.ts'
import { noUsage } from './ask-model.ts'
import type { LateCommits } from './late-commits.ts'
import type { TurnEnd, TurnRecord } from './turn.ts'

export interface SessionRecordOptions {
  readonly sessions: Sessions
  readonly session: string
  /** Made with the first commit; absent when the session is there already. */
  readonly create: NewSession | undefined
  /** The turn's own messages so far. */
  readonly messages: () => readonly ModelMessage[]
  readonly now: () => number
  /** Takes the end of a turn whose answer does not wait for the disk. */
  readonly late: LateCommits | undefined
  /** Told when the turn is stored, or has left nothing to store. */
  readonly onStored: () => void
}

/**
 * Record of a turn behind a request door. A step with tool calls is committed before the calls run: after a crash the session shows
 * what was asked for, and the model is told that the outcome is unknown. A turn without tools costs one commit, at its end.
 */
export function createSessionRecord(options: SessionRecordOptions): TurnRecord {
  let saved = 0
  const rowsOf = (messages: readonly ModelMessage[], usage: Usage, calls: number): TurnRows => {
    const create = saved === 0 && options.create ? { create: options.create } : {}
    return { session: { id: options.session, ...create }, messages: messages.slice(saved), usage, calls, at: options.now() }
  }
  const commit = async (messages: readonly ModelMessage[], usage: Usage, calls: number): Promise<void> => {
    await options.sessions.commit(rowsOf(messages, usage, calls))
    saved = messages.length
  }
  return {
    step: async (step) => {
      if (step.type === 'model') await commit(options.messages(), noUsage, 0)
    },
    finish: async (end: TurnEnd) => {
      if (options.late && saved === 0 && end.messages.length > 0) {
        void options.late.add(rowsOf(end.messages, end.usage, end.calls)).then(options.onStored)
        return
      }
      if (end.messages.length > saved) await commit(end.messages, end.usage, end.calls)
      options.onStored()
    },
  }
}

/** The rows of a whole turn, for a door whose journal commits them with its answer. */
export function turnRows(end: TurnEnd, session: string, create: NewSession | undefined, at: number): TurnRows | null {
  if (end.messages.length === 0) return null
  return { session: create ? { id: session, create } : { id: session }, messages: end.messages, usage: end.usage, calls: end.calls, at }
}
