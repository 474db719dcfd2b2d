import type { InboundMessage, Log } from '@agent/plugin-sdk'
import type { Sessions } from '#store/sessions.ts'
import type { AnswerCommandOptions } from './answer-command.ts'
import type { RunningTurn, RunningTurns } from './running-turns.ts'

export interface InterruptOptions {
  readonly running: RunningTurns
  readonly sessions: Pick<Sessions, 'find' | 'end'>
  /** An admin stops what runs for others too. */
  readonly isAdmin: boolean
  readonly log: Log
}

/** What stops the work of a session in the conversation of a message, and what it does in the background for it. */
export function createInterrupt(
  options: InterruptOptions,
  platform: string,
  message: InboundMessage,
  sessionKey: string,
): AnswerCommandOptions['interrupt'] {
  const isMine = (turn: RunningTurn): boolean => turn.sessionKey === sessionKey || turn.sessionKey.startsWith(`${sessionKey}:background:`)
  return ({ endSession }) => {
    const turns = options.running
      .inConversation(platform, message)
      .filter((turn) => (endSession ? isMine(turn) && !turn.background : options.isAdmin || isMine(turn)))
    for (const turn of turns) {
      turn.interrupt()
      // A session that began with this turn is stored with its end, too late for the command that ended it before.
      if (endSession) void turn.ended.then(() => endAfter(options, turn.session))
    }
    return turns.length > 0
  }
}

async function endAfter({ sessions, log }: InterruptOptions, id: string | undefined): Promise<void> {
  try {
    const session = id === undefined ? undefined : await sessions.find(id)
    if (session?.endedAt === null) await sessions.end(session.id, 'new')
  } catch (error) {
    log.error('a session could not be ended', { session: id, error: String(error) })
  }
}
