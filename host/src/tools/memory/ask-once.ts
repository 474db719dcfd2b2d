import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { ApprovalRequest, ToolTurn } from '../tool-turn.ts'

/** Asks whether this one change may be made; `nobody`: no answer came in time. */
export async function askOnce(
  turn: Pick<ToolTurn, 'approve' | 'signal'>,
  wish: Pick<ApprovalRequest, 'tool' | 'subject' | 'reason'>,
): Promise<'yes' | 'no' | 'nobody'> {
  try {
    return (await turn.approve({ ...wish, choices: ['once', 'deny'] })) === 'deny' ? 'no' : 'yes'
  } catch (error) {
    if (isAgentError(error, 'TIMED_OUT')) return 'nobody'
    throw turn.signal.aborted ? fail('INTERRUPTED') : error
  }
}
