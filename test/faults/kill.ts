import { setTimeout as pause } from 'node:timers/promises'
import { findMissingServers } from '../support/gateways/platform-lanes.ts'
import { openTestHome } from '../support/test-home.ts'
import { openRealLanes, openVendorLane } from './lanes.ts'
import { createRandom, type Random } from './random.ts'
import { longAnswer, longTool, speak } from './speakers.ts'
import { openStage, reportStage, type Stage, settleAll, start, stop } from './stage.ts'

const mostKills = 20
const fewestKills = 4
/** Latest moment of a kill, counted from when every platform is connected. */
const latestKillMs = 1500
/** Latest moment of a kill that falls into the start, counted from its beginning. */
const latestEarlyKillMs = 400

interface KillOptions {
  readonly seed: number
  readonly scale: number
}

/** Kills the gateway at seeded random points while conversations go on, and counts what became of every message. */
export async function runKills({ seed, scale }: KillOptions): Promise<boolean> {
  const missing = await findMissingServers()
  for (const sentence of missing) console.error(sentence)
  if (missing.length > 0) return false
  const kills = Math.max(fewestKills, Math.round(mostKills * scale))
  console.log(`${kills} kills of the gateway; --seed ${seed} repeats this run`)
  const random = createRandom(seed)
  using home = openTestHome()
  await using keyed = await openVendorLane(home, random, {
    ...{ platform: 'keyed', keys: true, conversations: ['k0', 'k1', 'k2'], pauseMs: 120 },
    more: [
      { conversation: 'tool', wishes: [longTool], each: 1 },
      { conversation: 'long', wishes: [longAnswer], each: 1, once: true },
    ],
  })
  // Without keys one conversation each: the outbox has one part of it in flight, so that a kill leaves at most one unknown.
  await using unkeyed = await openVendorLane(home, random, { platform: 'unkeyed', keys: false, conversations: ['u0'], pauseMs: 200 })
  await using real = await openRealLanes(home)
  const stage = openStage(home, [keyed, unkeyed, ...real.lanes])
  const restarts = await killRounds(stage, random, kills)
  const last = start(stage)
  await last.connected()
  const problems = [...(await settleAll(stage)), ...(await stop(last))]
  return await reportStage(stage, { kills, restartMs: Math.max(...restarts), problems })
}

/** How long each start took, in milliseconds, unless a kill cut it off. */
async function killRounds(stage: Stage, random: Random, kills: number): Promise<readonly number[]> {
  const speakers = stage.lanes.flatMap((lane) => lane.speakers)
  const restarts: number[] = []
  for (let round = 0; round < kills; round++) {
    const early = random.next() < 0.2
    const killAfterMs = random.between(0, early ? latestEarlyKillMs : latestKillMs)
    const gateway = start(stage)
    if (!early) restarts.push(await gateway.connected())
    const talked = speak(speakers, random, { withinMs: latestKillMs, round })
    await pause(killAfterMs)
    gateway.child.kill('SIGKILL')
    await gateway.ended
    stage.witness.look()
    await talked
  }
  return restarts
}
