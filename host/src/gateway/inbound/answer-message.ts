import { fail, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import type { Claim } from '#store/journal.ts'
import { isShared, sessionKey } from '../rules/session-key.ts'
import { admit } from './admit.ts'
import { command } from './command.ts'
import { ended } from './ended.ts'
import { gather } from './gather.ts'
import type { InboxParts } from './inbox-parts.ts'
import type { Job, Outcome, Stage } from './job.ts'
import { reply } from './reply.ts'
import { turn } from './turn.ts'

/** The way of a message. The first outcome ends it and is what `reply` writes down. */
export const stages: readonly Stage[] = [admit, command, gather, turn]
/** The way of what came of a child agent: nobody said it, so it is no command. */
const stagesOfChild: readonly Stage[] = [admit, ended, gather, turn]

/** Gives a claimed message its one answer, or gives the message back. */
export async function answerMessage(inbox: InboxParts, claim: Claim, how: Pick<Job, 'outOfTurn' | 'stop'>): Promise<void> {
  const { journal, log } = inbox
  const job = createJob(inbox, claim, how)
  try {
    let outcome: Outcome | undefined
    for (const stage of claim.child ? stagesOfChild : stages) outcome ??= await stage(inbox, job)
    await reply(inbox, job, outcome ?? { state: 'released' })
  } catch (error) {
    if (job.stop.aborted) return await journal.release(claim)
    if (isAgentError(error, 'CLAIM_LOST')) return log.warn(error.message)
    log.error('a message could not be answered', { platform: claim.platform, error: String(error) })
    const text = isAgentError(error) ? error.message : fail('INTERNAL', { detail: 'the turn could not run' }).message
    // What goes wrong here is nobody's business who is not let in.
    await reply(inbox, job, { state: 'failed', text: job.admitted ? text : undefined, error: toWireError(error) })
  } finally {
    for (const end of job.atEnd.toReversed()) await end()
  }
}

export function createJob(inbox: InboxParts, claim: Claim, how: Pick<Job, 'outOfTurn' | 'stop'>): Job {
  const { platform, message } = claim
  const { settings } = inbox.rules.of(platform)
  const key = sessionKey({ profile: inbox.home.profile, platform, settings }, message)
  return { claim, settings, sessionKey: key, shared: isShared(settings, message), admitted: false, heard: message, atEnd: [], ...how }
}
