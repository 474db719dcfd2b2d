import { untilWritten } from '#store/until-written.ts'
import { runAs } from './gather.ts'
import type { InboxParts } from './inbox-parts.ts'
import type { Job, Outcome } from './job.ts'

const shownPrompt = 60
/** Work beside one conversation takes no more places from the others. */
const mostAtOnce = 4

/** Lets the conversation go on while `/background` works in a separate session. The result is the one answer of the message. */
export async function startBackground(inbox: InboxParts, job: Job, prompt: string): Promise<Outcome | undefined> {
  const { journal, running, replies } = inbox
  const { claim, stop } = job
  const busy = running.inConversation(claim.platform, claim.message).filter((each) => each.background)
  if (busy.length >= mostAtOnce)
    return { state: 'answered', text: `I already work on ${busy.length} things in the background. /stop ends them.` }
  await untilWritten(inbox, stop, () => journal.putOutOfTurn(claim))
  const shown = prompt.length > shownPrompt ? `${prompt.slice(0, shownPrompt)}…` : prompt
  if (claim.attempts === 1) {
    const parts = await replies.parts(claim, `I work on it in the background: ${shown}`)
    await untilWritten(inbox, stop, () => journal.say(claim, parts))
  }
  job.background = shown
  runAs(inbox, job, { sessionKey: `${job.sessionKey}:background:${claim.seq}`, background: true })
  return undefined
}
