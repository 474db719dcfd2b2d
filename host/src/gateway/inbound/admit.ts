import type { InboundMessage } from '@agent/plugin-sdk'
import type { Verdict } from '../authorise/gates.ts'
import type { InboxParts } from './inbox-parts.ts'
import type { Job, Outcome } from './job.ts'

/** Asks the gates, then the hooks of plugins. Who is turned away hears of it only where a rule says so. */
export async function admit(inbox: InboxParts, job: Job): Promise<Outcome | undefined> {
  const { reception, messageHooks, log } = inbox
  const { platform, message, child } = job.claim
  const verdict = job.outOfTurn ? 'pass' : reception.judge(platform, message)
  job.admitted = verdict === 'pass'
  if (!job.outOfTurn) remember(inbox, job, verdict)
  // Hooks judge what people say.
  const refusal = job.admitted && !child ? await messageHooks.refusal(platform, message) : undefined
  if (job.admitted && refusal === undefined) return undefined
  const { id: conversation, kind, parent } = message.conversation
  log.info('a message was not answered', { platform, sender: message.sender.id, verdict: refusal ?? verdict, conversation, kind, parent })
  return { state: 'dropped', text: verdict === 'stranger' && !child ? await reception.greet(platform, message) : refusal }
}

/** Keeps what the verdict means for messages to come. */
function remember(inbox: InboxParts, { claim: { platform, message }, settings }: Job, verdict: Verdict): void {
  if (verdict !== 'pass' && verdict !== 'not-addressed') return
  noteChannel(inbox, platform, message)
  if (verdict === 'not-addressed') {
    if (settings.observe_unmentioned_group_messages) inbox.overheard.add(platform, message)
  } else if (message.conversation.kind === 'thread') inbox.threads.join(platform, message)
}

/** Programs that call in have a conversation for each call; nobody wants to speak there. A direct message is called after its writer. */
function noteChannel({ catalog, directory }: InboxParts, platform: string, { account, conversation, sender }: InboundMessage): void {
  if (catalog.find('platform', platform)?.spec.gate === 'source') return
  const name = conversation.name ?? (conversation.kind === 'dm' ? sender.name : undefined)
  void directory.note(platform, account, { ...conversation, ...(name === undefined ? {} : { name }) })
}
