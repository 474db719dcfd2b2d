import { setMaxListeners } from 'node:events'
import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { sayChild } from '#agent/delegation/child-note.ts'
import { concludeLost } from '#agent/delegation/conclude-children.ts'
import type { Claim } from '#store/journal.ts'
import type { Reception } from '../authorise/reception.ts'
import type { AskPeople } from '../conversation/ask-people.ts'
import { openPump, type WorkSource } from '../pump/pump.ts'
import { announceChild } from './announce-child.ts'
import { answerMessage } from './answer-message.ts'
import { type InboxOptions, openInboxParts } from './inbox-parts.ts'
import { type Arrival, takeArrival } from './take-arrival.ts'

export interface Inbox {
  readonly isEcho: Reception['isEcho']
  readonly refusalOf: Reception['refusalOf']
  /** Told about every message that was stored. */
  readonly arrive: (arrival: Arrival) => void
  /** Told about every pressed button. */
  readonly press: AskPeople['press']
  /** Told about every invitation. */
  readonly invited: Reception['invited']
  readonly questions: AskPeople['waiting']
  /** Three crashes on one message: it is not tried a fourth time, and its writer is told, unless they are not let in. */
  giveUp(claims: readonly Claim[]): Promise<void>
  /** Stops claiming, interrupts what runs and gives unfinished messages back. */
  close(): Promise<void>
}

const concurrentTurns = 64
const stumbled = 'Sorry, this message made me stumble three times; I will not try it again. Please say it differently.'

/** Everything between a stored message and its answer: messages in their order, one per conversation at a time, and those that pass by. */
export async function openInbox(options: InboxOptions): Promise<Inbox> {
  const { owner, clock, log } = options
  const inbox = await openInboxParts(options)
  const stop = new AbortController()
  // Everything in work listens to it; Node would take that for a leak.
  setMaxListeners(0, stop.signal)
  const open = (name: string, source: WorkSource<Claim>, most: number, outOfTurn: boolean) =>
    openPump({
      ...{ name, source, most: () => most, stop: stop.signal, clock, log },
      work: (claim) => answerMessage(inbox, claim, { outOfTurn, stop: stop.signal }),
    })
  const inOrder: WorkSource<Claim> = {
    claim: () => inbox.journal.claim(owner),
    onWork: (wake) => inbox.journal.onWork((work) => work === 'inbox' && wake()),
  }
  const pumps = [open('inbox', inOrder, concurrentTurns, false), open('inbox out of turn', inbox.outOfTurn, Number.POSITIVE_INFINITY, true)]
  for (const pump of pumps) pump.wake()
  return {
    arrive: (arrival) => {
      if (!stop.signal.aborted) takeArrival(inbox, arrival)
    },
    isEcho: inbox.reception.isEcho,
    refusalOf: inbox.reception.refusalOf,
    press: inbox.people.press,
    invited: inbox.reception.invited,
    questions: inbox.people.waiting,
    giveUp: async (claims) => {
      for (const claim of claims) {
        await concludeLost(inbox.sessions, claim.steps)
        if (claim.child && !claim.child.end) await concludeLost(inbox.sessions, [{ type: 'child', session: claim.child.session }])
        const isAdmitted = inbox.reception.judge(claim.platform, claim.message) === 'pass'
        if (isAdmitted) await announceChild(inbox, claim, stop.signal)
        const text = claim.child ? sayChild(claim.child) : stumbled
        const outbound = isAdmitted ? [{ text, replyTo: claim.message.id }] : []
        const error = toWireError(fail('INTERNAL', { detail: 'the agent was ended three times while it worked on this message' }))
        await inbox.journal.answer(claim, { outbound, turn: null, state: 'failed', error })
      }
    },
    close: async () => {
      stop.abort(fail('INTERRUPTED'))
      await Promise.all(pumps.map((pump) => pump.close()))
      await inbox.places.settled()
    },
  }
}
