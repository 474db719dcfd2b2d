import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestHome } from '../../support/test-home.ts'
import type { Gateway } from '../gateway-process.ts'
import type { Random } from '../random.ts'
import { type Speaker, speak } from '../speakers.ts'
import { type Stage, settleAll, start, stop } from '../stage.ts'
import { countFenced, waitForFence } from './fence.ts'
import { freezeAtWork } from './freeze.ts'

const talkMs = 1000

interface TakeOver {
  /** Says what the gateway works on when it is frozen. */
  readonly speaker: Speaker
  readonly random: Random
  readonly round: number
}

/**
 * Freezes a gateway in the middle of its work and starts another one that cannot see it, as in another container on the same volume.
 * When the first one wakes up, both believe that they own the home. Answers the other one, and what was wrong.
 */
export async function takeOverFrozen(
  stage: Stage,
  frozen: Gateway,
  { speaker, random, round }: TakeOver,
): Promise<{ readonly gateway: Gateway; readonly problems: readonly string[] }> {
  const { home, lanes } = stage
  const fencedBefore = countFenced(home)
  const speakers = lanes.flatMap((lane) => lane.speakers)
  await freezeAtWork(stage, frozen, speaker, `${speaker.conversation}-frozen-${round}`)
  const talked = speak(speakers, random, { withinMs: talkMs, round })
  rmSync(join(home.home, 'gateway.pid'), { force: true })
  const gateway = start(stage)
  await gateway.connected()
  await talked
  const problems = [...(await settleAll(stage))]
  frozen.child.kill('SIGCONT')
  problems.push(...(await waitForFence(home, fencedBefore + 1)))
  await speak(speakers, random, { withinMs: talkMs, round: takeOversEach + round })
  problems.push(...(await settleAll(stage)), ...(await stop(frozen)))
  if (readOwner(home) !== gateway.child.pid) problems.push('The gateway that came back took the home from the other one.')
  return { gateway, problems }
}

/** Process id of the gateway that the home belongs to. */
function readOwner(home: TestHome): number | undefined {
  return existsSync(join(home.home, 'gateway.pid')) ? (JSON.parse(home.read('gateway.pid')) as { pid: number }).pid : undefined
}

/** The numbers of the messages that are said while two gateways run. */
const takeOversEach = 100
