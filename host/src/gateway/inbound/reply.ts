import { untilWritten } from '#store/until-written.ts'
import type { InboxParts } from './inbox-parts.ts'
import type { Job, Outcome } from './job.ts'

/** Writes the outcome down: in one transaction the message is answered, and what is said waits in the outbox. */
export async function reply(inbox: InboxParts, job: Job, { state, text, rows = null, mood, error }: Outcome): Promise<void> {
  const { journal, replies } = inbox
  const { claim, stop } = job
  if (state === 'released') return journal.release(claim)
  const outbound = text === undefined ? [] : await replies.parts(claim, text)
  await untilWritten(inbox, stop, () => journal.answer(claim, { outbound, turn: rows, state, ...(error && { error }) }))
  if (mood) job.mood = mood
}
