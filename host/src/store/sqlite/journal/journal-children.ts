import type { InboundMessage } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { ChildNote, Claim, Journal } from '../../journal.ts'
import { promoteIfNone } from './journal-out-of-turn.ts'
import { toClaim } from './journal-rows.ts'
import { fence, type JournalTools, placeOf, requireHeld, requireOne, sessionPlatform } from './journal-tools.ts'

/** The verbs for child agents whose end is a row of the inbox, like a message. */
export function createChildVerbs(tools: JournalTools): Pick<Journal, 'keepPlace' | 'tellChild' | 'keepPlaceIn' | 'claimTold'> {
  const { commits, inbox, notifier } = tools
  return {
    keepPlace: (claim, child) =>
      commits.run(() => {
        requireHeld(inbox, claim)
        return keepPlace(tools, claim, child)
      }),
    keepPlaceIn: (session, owner, child) =>
      commits.run(() => keepPlace(tools, { platform: sessionPlatform, owner, message: messageIn(session) }, child)),
    async tellChild(place, child) {
      await commits.run(() => tellChild(tools, place, child))
      notifier.notify('inbox')
    },
    // Most sessions have none: that costs no transaction.
    claimTold: async (session, owner) => (openIn(tools, session).length === 0 ? [] : commits.run(() => claimTold(tools, session, owner))),
  }
}

function messageIn(session: string): InboundMessage {
  return { id: '', account: '', conversation: { id: session, kind: 'dm' }, sender: { id: '', isBot: false }, text: '', addressed: true }
}

type Behind = Pick<Claim, 'platform' | 'owner' | 'message'>

function keepPlace({ inbox, now }: JournalTools, behind: Behind, child: ChildNote): Claim {
  const { platform, owner, message } = behind
  const row = { ...placeOf(platform, message), owner, message: `child:${child.session}`, body: bodyOf(message, child), at: now() }
  const kept = inbox.keepPlace.get(row)
  if (!kept) throw fail('INTERNAL', { detail: `there is a place for ${child.session} already` })
  return toClaim(kept, [], undefined)
}

function tellChild(tools: JournalTools, place: Claim, child: ChildNote): void {
  const { inbox } = tools
  requireOne(inbox.tellChild.run({ ...fence(place), body: bodyOf(place.message, child) }), place)
  promoteIfNone(tools, placeOf(place.platform, place.message))
}

/** Whom it works for, and where: with the id of what that person said, so that an answer can refer to it. */
function bodyOf({ id, account, conversation, sender, instructions, deliver }: InboundMessage, child: ChildNote): string {
  return JSON.stringify({ id, account, conversation, sender, text: '', addressed: true, instructions, deliver, child })
}

function openIn({ inbox }: JournalTools, session: string) {
  return inbox.openIn.all(placeOf(sessionPlatform, messageIn(session)))
}

function claimTold(tools: JournalTools, session: string, owner: string): readonly Claim[] {
  const { inbox } = tools
  const live = tools.liveOwners()
  const isDead = (other: string | null): boolean => other !== owner && !live.has(other ?? '')
  const due = openIn(tools, session).filter((row) => row.state === 'accepted' || isDead(row.owner))
  return due.flatMap(({ seq }) => {
    const row = inbox.takeTold.get({ seq, owner })
    return row ? [toClaim(row, [], undefined)] : []
  })
}
