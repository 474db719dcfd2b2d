import { fail } from '@agent/plugin-sdk/errors'
import type { SlashDoor } from '#commands/slash.ts'
import { ownerOfMessage } from '#tools/memory/owner.ts'
import { isAdmin } from '../authorise/user-tiers.ts'
import { answerCommand, findCommand } from '../conversation/answer-command.ts'
import { createChat } from '../conversation/create-chat.ts'
import { createInterrupt } from '../conversation/interrupt-turns.ts'
import { startBackground } from './background.ts'
import type { InboxParts } from './inbox-parts.ts'
import { type Job, type Outcome, personOf } from './job.ts'

/** Answers what needs no turn: a text that is its own answer, the reply to an open question, a slash command. */
export async function command(inbox: InboxParts, job: Job): Promise<Outcome | undefined> {
  const { platform, message } = job.claim
  if (message.verbatim) return answered(message.text)
  const replied = await inbox.people.reply(platform, message)
  if (replied !== undefined) return answered(replied)
  const found = findCommand(inbox, message)
  if (!found) return undefined
  const { rules, running, people, services, reception, sessions, reasoning, clock, log } = inbox
  const admin = isAdmin(job.settings, message)
  const { said, asked, background } = await answerCommand(found, {
    ...{ services, reasoning },
    sessionKey: job.sessionKey,
    owner: ownerOfMessage(inbox, job.claim),
    person: personOf(job.claim),
    chat: createChat({ rules, running, people, services, isKnown: reception.isKnown, now: clock.now }, platform, message),
    run: createRunCommand(inbox, job),
    working: () => workingIn(inbox, job),
    isBusy: () => running.inConversation(platform, message).some((turn) => turn.sessionKey === job.sessionKey && !turn.background),
    interrupt: createInterrupt({ running, sessions, isAdmin: admin, log }, platform, message, job.sessionKey),
  })
  if (background !== undefined) {
    job.heard = { ...message, text: background }
    return startBackground(inbox, job, background)
  }
  if (asked === undefined) return answered(said)
  const instructions = [asked.instructions, message.instructions].filter((each) => each !== undefined).join('\n\n')
  job.heard = { ...message, text: asked.text, ...(instructions === '' ? {} : { instructions }) }
  return undefined
}

/** Sessions that something is answered in, or that left child agents working. */
function workingIn({ running, places }: InboxParts, { claim, sessionKey }: Job): readonly string[] {
  const own = running.inConversation(claim.platform, claim.message).filter((turn) => turn.sessionKey === sessionKey)
  return [...new Set([...own.flatMap(({ session }) => session ?? []), ...places.rootsOf(sessionKey)])]
}

function answered(text: string): Outcome {
  return { state: 'answered', text }
}

/** What a plugin's command does is listed among what runs, so that it can be interrupted. It is never run again: nobody knows how far it came. */
function createRunCommand({ running }: InboxParts, { claim, sessionKey, stop }: Job): SlashDoor['run'] {
  return async (name, work) => {
    if (claim.attempts > 1) throw fail('TOOL_OUTCOME_UNKNOWN', { tool: name })
    const turn = running.begin(claim, { sessionKey, background: true }, stop)
    try {
      return await work(turn.signal)
    } catch (error) {
      throw turn.signal.aborted ? fail('TOOL_OUTCOME_UNKNOWN', { tool: name }) : error
    } finally {
      turn.end()
    }
  }
}
