import type { InboundMessage } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Claim } from '#store/journal.ts'
import { findCommand } from '../conversation/answer-command.ts'
import { composeTurn } from '../conversation/compose-turn.ts'
import { type Gathered, gatherMessages } from '../conversation/gather-messages.ts'
import type { RunningTurn } from '../conversation/running-turns.ts'
import { sessionKeyOf } from '../rules/session-key.ts'
import type { InboxParts } from './inbox-parts.ts'
import type { Job, Outcome } from './job.ts'
import { passesBy, takeArrival } from './take-arrival.ts'

/** Most messages that are looked at behind a message, or added to a running turn at once. */
const mostWaiting = 8

/** Waits until a person has stopped writing, and makes one question of what was said. */
export async function gather(inbox: InboxParts, job: Job): Promise<Outcome | undefined> {
  if (job.running) return undefined
  // It was to pass by, and is none of what may.
  if (job.outOfTurn) return { state: 'released' }
  const { claim, sessionKey } = job
  const turn = runAs(inbox, job, { sessionKey, background: false })
  await inbox.reset(sessionKey)
  // Commands that came before the turn began, and now stand behind it.
  for (const { seq, message } of await inbox.journal.waiting(claim, mostWaiting))
    if (passesBy(inbox, message)) takeArrival(inbox, { platform: claim.platform, message, seq })
  job.heard = compose(inbox, job, await gatherBehind(inbox, job, turn))
  return undefined
}

async function gatherBehind(inbox: InboxParts, { claim, heard, settings }: Job, turn: RunningTurn): Promise<Gathered> {
  const { journal, catalog, clock } = inbox
  const limits = catalog.find('platform', claim.platform)?.spec.limits
  if (!limits) return [heard]
  turn.gathering = true
  const belongs = (message: InboundMessage): boolean => isPartOf(inbox, claim, message)
  try {
    return await gatherMessages({ journal, limits, settings, belongs, clock }, { ...claim, message: heard }, turn.signal)
  } catch (error) {
    return giveUpAdding<Gathered>(inbox, error, [heard])
  } finally {
    turn.gathering = false
  }
}

/** What its writer said since, as far as nothing of somebody else stands between. */
export async function steer(inbox: InboxParts, job: Job): Promise<readonly string[]> {
  try {
    return await takeAdded(inbox, job)
  } catch (error) {
    return giveUpAdding(inbox, error, [])
  }
}

async function takeAdded(inbox: InboxParts, job: Job): Promise<readonly string[]> {
  const { claim } = job
  const waiting = await inbox.journal.waiting(claim, mostWaiting)
  const end = waiting.findIndex(({ message, child }) => child || (message.media ?? []).length > 0 || !isPartOf(inbox, claim, message))
  const added = end < 0 ? waiting : waiting.slice(0, end)
  if (added.length === 0) return []
  const taken = await inbox.journal.absorb(
    claim,
    added.map(({ seq }) => seq),
  )
  return added.filter(({ seq }) => taken.includes(seq)).map(({ message }) => compose(inbox, job, [message]).text)
}

/** What cannot be written down now waits for its own turn. */
function giveUpAdding<Value>({ log }: InboxParts, error: unknown, instead: Value): Value {
  if (!isAgentError(error, 'STORE_FULL') && !isAgentError(error, 'STORE_BUSY')) throw error
  log.error(error.message, { code: error.code })
  return instead
}

/** Whether a message that waits is meant for the turn of another. */
function isPartOf(inbox: InboxParts, { platform, message }: Claim, next: InboundMessage): boolean {
  if (inbox.messageHooks.guards()) return false
  const isPlain = !next.verbatim && next.deliver === undefined && next.instructions === undefined && !findCommand(inbox, next)
  const isSame =
    !next.sender.isBot &&
    next.sender.id === message.sender.id &&
    sessionKeyOf(inbox, platform, next) === sessionKeyOf(inbox, platform, message)
  return isPlain && isSame && !inbox.people.expects(platform, next) && inbox.reception.judge(platform, next) === 'pass'
}

/** The messages that are answered together, as the agent hears them. */
function compose(inbox: InboxParts, job: Job, messages: Gathered): InboundMessage {
  const [first] = messages
  const { settings, shared } = job
  const { platform } = job.claim
  const { id, parent = '' } = first.conversation
  return composeTurn({
    messages,
    overheard: first.conversation.kind === 'dm' ? [] : inbox.overheard.take(platform, first),
    shared,
    isKnown: (each) => inbox.reception.isKnown(platform, each),
    channelPrompt: settings.channel_prompts[id] ?? settings.channel_prompts[parent],
  })
}

/** From now on the message is listed among what runs in its conversation, so that others can interrupt it. */
export function runAs(inbox: InboxParts, job: Job, about: { readonly sessionKey: string; readonly background: boolean }): RunningTurn {
  const turn = inbox.running.begin(job.claim, about, job.stop)
  job.running = turn
  job.atEnd.push(() => turn.end())
  return turn
}
