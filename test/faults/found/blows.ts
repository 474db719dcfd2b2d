import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { waitUntil } from '../../support/servers/wait-until.ts'
import type { Gateway } from '../gateway-process.ts'
import type { openVendorLane } from '../lanes.ts'
import { type Stage, start } from '../stage.ts'

interface Ground {
  readonly stage: Stage
  readonly asked: Awaited<ReturnType<typeof openVendorLane>>
  readonly gateway: Gateway
}

/** The gateway that runs after a blow, and what was wrong with the blow itself. */
export interface Struck {
  readonly gateway: Gateway
  readonly problems: readonly string[]
}

/** Something that can cost a receipt. */
export interface Blow {
  readonly name: string
  /** So long people talk. */
  readonly talkMs: number
  /** How often each of them says three things meanwhile. */
  readonly rounds: number
  strike(ground: Ground): Promise<Struck>
}

const outageMs = 20_000
const reconnectWithinMs = 80_000

export const blows: readonly Blow[] = [
  { name: 'lost connections', talkMs: 1500, rounds: 2, strike: cutConnection },
  { name: 'kills of the child', talkMs: 1500, rounds: 2, strike: killChild },
  { name: 'kills of the gateway', talkMs: 1500, rounds: 2, strike: killGateway },
  { name: 'outages of 20 s', talkMs: outageMs, rounds: 10, strike: leaveForLong },
]

async function cutConnection({ asked, gateway }: Ground): Promise<Struck> {
  await returned(asked, asked.cut)
  return { gateway, problems: [] }
}

async function killChild({ asked, gateway }: Ground): Promise<Struck> {
  const pids = findChildren(gateway.child.pid)
  await returned(asked, () => pids.forEach((pid) => void process.kill(pid, 'SIGKILL')))
  return { gateway, problems: pids.length === 1 ? [] : [`The gateway had ${pids.length} children with plugins, and one was expected.`] }
}

async function killGateway({ stage, gateway }: Ground): Promise<Struck> {
  gateway.child.kill('SIGKILL')
  await gateway.ended
  stage.witness.look()
  const next = start(stage)
  await next.connected()
  return { gateway: next, problems: [] }
}

/** Nobody can connect meanwhile, and people go on talking. */
async function leaveForLong({ asked, gateway }: Ground): Promise<Struck> {
  await returned(asked, async () => {
    const comeBack = await asked.leave()
    await pause(outageMs)
    await comeBack()
  })
  return { gateway, problems: [] }
}

async function returned({ peer }: Ground['asked'], act: () => unknown): Promise<void> {
  const before = peer.connections()
  await act()
  await waitUntil('the connection is there again', reconnectWithinMs, () => peer.connections() > before)
}

/** The processes in which a gateway runs plugins; those of tools are none. */
function findChildren(pid = 0): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
  return children.filter((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('extension-host')).map(Number)
}
