import type { Claim, Recovery } from '../../journal.ts'
import { promoteIfNone } from './journal-out-of-turn.ts'
import { toClaim } from './journal-rows.ts'
import { type JournalTools, sessionPlatform } from './journal-tools.ts'

/** A message that was in work at so many crashes is given up. */
const crashLimit = 3

/** A clock that was wrong may have put a retry hours ahead: after a start it is tried soon. A platform that asks for patience means less. */
const patienceMs = 15 * 60_000
const soonMs = 30_000

const bySeq = (a: { readonly seq: number }, b: { readonly seq: number }): number => a.seq - b.seq

/** Takes over what dead owners left. */
export function recoverClaims(tools: JournalTools, owner: string, alone: boolean): Recovery {
  const live = alone ? new Set<string>() : tools.liveOwners()
  const isDead = (row: { readonly owner: string | null }): boolean => row.owner !== owner && !live.has(row.owner ?? '')
  // Those of sessions wait for their session, whose program may well live.
  const claimed = tools.inbox.claimed.all({}).filter(({ platform }) => platform !== sessionPlatform)
  const failed: Claim[] = []
  let messages = 0
  for (const row of claimed.filter(isDead).sort(bySeq)) {
    if (row.crashes + 1 < crashLimit) messages += giveBack(tools, row.seq)
    else failed.push(...takeMessage(tools, row.seq, owner))
  }
  const sends = tools.outbox.sending.all({}).filter(isDead)
  for (const { seq } of sends) tools.outbox.giveBack.run({ seq })
  // Among them those that were due, by a clock that may have been set back since.
  hasten(tools)
  return { messages, sends: sends.length, failed }
}

function giveBack(tools: JournalTools, seq: number): number {
  const row = tools.inbox.giveBack.get({ seq })
  if (row?.head === 0) promoteIfNone(tools, row)
  return row ? 1 : 0
}

function takeMessage({ inbox, outbox, keyOf }: JournalTools, seq: number, owner: string): Claim[] {
  const row = inbox.takeOver.get({ seq, owner })
  const preview = outbox.byKey.get({ key: keyOf(seq, 'preview') })
  return row ? [toClaim(row, inbox.steps.all({ inbox: seq }), preview && { platformId: preview.platform_id })] : []
}

/** Where the newest message is of a time to come, the clock was set back since: every wait that was counted by it is too long. */
function hasten({ inbox, outbox, steadyNow }: JournalTools): void {
  const now = steadyNow()
  const isSetBack = (inbox.newest.get({})?.received_at ?? 0) > now
  outbox.hasten.run({ latest: now + (isSetBack ? soonMs : patienceMs), soon: now + soonMs })
}
