import { stateOfChild, textOfChild } from '#agent/delegation/child-note.ts'
import type { Claim } from '#store/journal.ts'
import { untilWritten } from '#store/until-written.ts'
import { sessionKeyOf } from '../rules/session-key.ts'
import type { InboxParts } from './inbox-parts.ts'

/** Lets notifiers hear that a child agent has ended, before its row is settled. A row that is claimed again tells the same event. */
export async function announceChild(
  inbox: Pick<InboxParts, 'home' | 'rules' | 'notifiers' | 'clock' | 'log'>,
  { child, platform, message, receivedAt }: Pick<Claim, 'child' | 'platform' | 'message' | 'receivedAt'>,
  stop: AbortSignal,
): Promise<void> {
  if (!child) return
  const data = { task: child.goal, state: stateOfChild(child), text: textOfChild(child) }
  // Of one that was lost nobody knows when: when it began is the same each time.
  const at = receivedAt + (child.end?.durationMs ?? 0)
  const origin = sessionKeyOf(inbox, platform, message)
  await untilWritten(inbox, stop, () => inbox.notifiers.announce({ id: `child_${child.session}`, name: 'subagent.end', at, data, origin }))
}
