import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Step } from '#store/journal.ts'
import type { Sessions } from '#store/sessions.ts'

/** Ends the session of a child; one that left nothing was never stored. */
export async function concludeChild(sessions: Pick<Sessions, 'end'>, session: string, reason: string): Promise<void> {
  try {
    await sessions.end(session, reason)
  } catch (error) {
    if (!isAgentError(error, 'SESSION_NOT_FOUND')) throw error
  }
}

/** Children that worked when the program was killed, and those below them: nobody works for them any more, and none of them begins again. */
export async function concludeLost(sessions: Pick<Sessions, 'find' | 'end' | 'endChildren'>, steps: readonly Step[]): Promise<void> {
  for (const step of steps) {
    if (step.type !== 'child') continue
    const found = await sessions.find(step.session)
    if (found && found.endedAt === null) await concludeChild(sessions, step.session, 'interrupted')
    await sessions.endChildren(step.session, 'interrupted')
  }
}
