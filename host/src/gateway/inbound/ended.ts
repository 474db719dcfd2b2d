import { describeChild } from '#agent/delegation/child-note.ts'
import { concludeLost } from '#agent/delegation/conclude-children.ts'
import { announceChild } from './announce-child.ts'
import { runAs } from './gather.ts'
import type { InboxParts } from './inbox-parts.ts'
import type { Job, Outcome } from './job.ts'

/** Lets the agent hear what came of a child agent that worked behind one of its turns. Nobody said this, so it is no command and no answer. */
export async function ended(inbox: InboxParts, job: Job): Promise<Outcome | undefined> {
  const { claim, sessionKey } = job
  const { child } = claim
  if (!child) return undefined
  runAs(inbox, job, { sessionKey, background: false })
  await inbox.reset(sessionKey)
  if (!child.end) await concludeLost(inbox.sessions, [{ type: 'child', session: child.session }])
  await announceChild(inbox, claim, job.stop)
  job.heard = { ...claim.message, text: describeChild(child) }
  return undefined
}
