import { openTestHome } from '../../support/test-home.ts'
import { openVendorLane } from '../lanes.ts'
import { createRandom } from '../random.ts'
import { openStage, reportStage, settleAll, start, stop } from '../stage.ts'
import { printProblems } from '../table.ts'
import { loseLease, renewLease } from './lease.ts'
import { refuseSecond } from './refuse-second.ts'
import { takeOverFrozen } from './take-over-frozen.ts'

const takeOvers = 2

/** Two gateways on one home: the second is refused; where nothing refuses it, both believe that they own the home, and nothing is answered twice. */
export async function runTwo({ seed }: { readonly seed: number }): Promise<boolean> {
  console.log(`two gateways on one home; --seed ${seed} repeats this run`)
  const random = createRandom(seed)
  using home = openTestHome()
  await using keyed = await openVendorLane(home, random, { platform: 'keyed', keys: true, conversations: ['k0', 'k1'], pauseMs: 120 })
  await using unkeyed = await openVendorLane(home, random, { platform: 'unkeyed', keys: false, conversations: ['u0'], pauseMs: 200 })
  const [speaker] = keyed.speakers
  if (!speaker) throw new Error('Nobody speaks on the platform with keys.')
  const stage = openStage(home, [keyed, unkeyed])
  let gateway = start(stage)
  const restartMs = await gateway.connected()
  const problems: string[] = []
  try {
    const renewed = renewLease(stage)
    problems.push(...(await refuseSecond(stage, gateway)))
    // Nothing that follows says anything about a home with a third gateway in it.
    if (problems.length > 0) return printProblems(problems, '')
    problems.push(...(await renewed))
    problems.push(...(await loseLease(stage, gateway, speaker)))
    for (let round = 0; round < takeOvers; round++) {
      const found = await takeOverFrozen(stage, gateway, { speaker, random, round })
      problems.push(...found.problems)
      gateway = found.gateway
    }
    problems.push(...(await settleAll(stage)), ...(await stop(gateway)))
  } finally {
    gateway.child.kill('SIGKILL')
  }
  return await reportStage(stage, { kills: takeOvers + 1, restartMs, problems })
}
