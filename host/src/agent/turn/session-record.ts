import type { ModelMessage, Usage } from '@agent/plugin-sdk'
import type { Step } from '#store/journal.ts'
import type { Sessions, TurnRows } from '#store/sessions.ts'
import { noUsage } from './ask-model.ts'
import type { LateCommits } from './late-commits.ts'
import { gainedBy, lengthOf } from './run-turn.ts'
import type { Turn, TurnEnd } from './turn.ts'

/** Where a request door writes a turn down. */
export interface SessionRecord {
  step(step: Step): Promise<void>
  /** Resolves when the end is on disk, or handed to those that are stored later. */
  end(end: TurnEnd): Promise<void>
}

export interface SessionRecordOptions {
  readonly sessions: Sessions
  readonly turn: Pick<Turn, 'session' | 'create' | 'begins' | 'messages' | 'from' | 'clock' | 'context' | 'system' | 'request' | 'tools'>
  /** Takes the end of a turn whose answer does not wait for the disk. */
  readonly late: LateCommits | undefined
  /** Told when the turn is stored, or has left nothing to store. */
  readonly onStored: () => void
}

/**
 * Record of a turn behind a request door. A step with tool calls is committed before the calls run: after a crash the session shows
 * what was asked for, and the model is told that the outcome is unknown. A turn without tools costs one commit, at its end.
 */
export function createSessionRecord({ sessions, turn, late, onStored }: SessionRecordOptions): SessionRecord {
  let saved = 0
  let compressed = 0
  const rowsOf = (messages: readonly ModelMessage[], usage: Usage, calls: number): TurnRows => {
    const session = saved === 0 ? { id: turn.session, ...(turn.create ? { create: turn.create } : {}) } : { id: turn.session }
    return { session, messages: messages.slice(saved), usage, calls, at: turn.clock.now(), ...lengthOf(turn, compressed) }
  }
  const commit = async (messages: readonly ModelMessage[], usage: Usage, calls: number): Promise<void> => {
    await sessions.commit(rowsOf(messages, usage, calls))
    saved = messages.length
    compressed = turn.context.gained.length
  }
  return {
    step: async (step) => {
      if (step.type === 'model') await commit(gainedBy(turn), noUsage, 0)
    },
    end: async ({ messages, usage, calls }) => {
      if (late && saved === 0 && messages.length > 0) {
        void late.add(rowsOf(messages, usage, calls)).then(onStored)
        return
      }
      const isShorter = turn.context.gained.length > compressed && turn.create === undefined
      if (messages.length > saved || isShorter) await commit(messages, usage, calls)
      onStored()
    },
  }
}

/** Record of a turn that nobody may write down. */
export const createNoRecord = (onStored: () => void): SessionRecord => ({
  step: async () => undefined,
  end: async () => onStored(),
})
