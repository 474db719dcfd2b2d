import { join } from 'node:path'
import type { Clock, Log } from '@agent/plugin-sdk'
import type { Claim, Journal } from '../../../host/src/store/journal.ts'
import { openStore } from '../../../host/src/store/sqlite/open.ts'
import { waitUntil } from '../../support/servers/wait-until.ts'
import type { Gateway } from '../gateway-process.ts'
import { rightAnswers } from '../right-answer.ts'
import type { Speaker } from '../speakers.ts'
import type { Stage } from '../stage.ts'
import { readLeases } from '../stored.ts'
import { waitForFence } from './fence.ts'
import { freezeAtWork } from './freeze.ts'

/** As long as a gateway's lease lasts, and a little more. */
const leaseMs = 31_000
/** A gateway renews its lease three times as often as it would have to. */
const renewWithinMs = 15_000

/** A gateway that lives renews its lease; answers what was wrong with that. */
export async function renewLease({ home }: Stage): Promise<readonly string[]> {
  const [before] = readLeases(home)
  if (!before) return ['A gateway that runs holds no lease.']
  const isLater = (): boolean => readLeases(home).some(({ owner, expires }) => owner === before.owner && expires > before.expires)
  return waitUntil('the lease was renewed', renewWithinMs, isLater).then(
    () => [],
    () => [`A gateway did not renew its lease within ${renewWithinMs} ms.`],
  )
}

/**
 * Another owner takes nothing from a gateway that is frozen while its lease lasts, and everything once it has passed; what comes back
 * then settles nothing. The other owner is this process on the same store; time passes on its clock alone.
 */
export async function loseLease(stage: Stage, gateway: Gateway, speaker: Speaker): Promise<readonly string[]> {
  const { home } = stage
  const id = `${speaker.conversation}-lease`
  await freezeAtWork(stage, gateway, speaker, id)
  const owner = 'boot_other'
  let ahead = 0
  const clock: Clock = { now: () => Date.now() + ahead, sleep: () => Promise.reject(new Error('Nothing waits here.')) }
  const store = await openStore({ file: join(home.home, 'state.db'), durability: 'full', clock, log })
  try {
    const { journal, leases } = store
    const problems: string[] = []
    const early = await journal.recover(owner)
    if (early.messages + early.sends + early.failed.length > 0) problems.push('An owner took over from another one that holds a lease.')
    ahead = leaseMs
    await leases.hold(owner, owner, leaseMs)
    await journal.recover(owner)
    const claim = await journal.claim(owner)
    if (claim?.message.id !== id)
      return [...problems, `The lease has passed, and ${claim?.message.id ?? 'nothing'} was taken up instead of ${id}.`]
    // It wakes up while the message is in work elsewhere: only who has the claim tells the two apart.
    gateway.child.kill('SIGCONT')
    problems.push(...(await waitForFence(home, 1)))
    return [...problems, ...(await answerRightly(journal, claim))]
  } finally {
    gateway.child.kill('SIGCONT')
    await store.close()
  }
}

async function answerRightly(journal: Journal, claim: Claim): Promise<readonly string[]> {
  // A tool that was cut off is not run again.
  const text = rightAnswers(claim.message.text, true).at(-1) ?? ''
  return journal.answer(claim, { outbound: [{ text, replyTo: claim.message.id }], turn: null }).then(
    () => [],
    (error: unknown) => [`Who took a message over could not answer it: ${error}`],
  )
}

const silent = (): void => undefined
const log: Log = { debug: silent, info: silent, warn: silent, error: silent }
