import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { detailOf } from '@agent/plugin-sdk/errors'
import { type AgentProcess, startAgent } from '../support/run-agent.ts'
import { waitUntil } from '../support/servers/wait-until.ts'
import type { TestHome } from '../support/test-home.ts'

/** Something that a gateway connects to. */
export interface Peer {
  /** How often a gateway has connected. */
  connections(): number
}

export interface Gateway extends AgentProcess {
  /** Waits until every peer sees this gateway; answers how long that took from the start, in milliseconds. */
  connected(): Promise<number>
}

const startWithinMs = 60_000
const lifeMs = 1_200_000

/** Starts the built gateway on the offline model, named explicitly: it may answer people and run tools. */
export function startGateway(home: TestHome, peers: readonly Peer[], environment: Readonly<Record<string, string>>): Gateway {
  const before = peers.map((peer) => peer.connections())
  const startedAt = performance.now()
  const agent = startAgent(home, ['gateway', 'run'], {
    environment: { AGENT_INFERENCE_PROVIDER: 'offline', AGENT_OFFLINE_OPEN: 'true', ...environment },
    timeoutMs: lifeMs,
  })
  return {
    ...agent,
    async connected() {
      await waitUntil('the gateway is connected', startWithinMs, () => {
        if (agent.child.exitCode !== null) throw new Error(`The gateway ended by itself with code ${agent.child.exitCode}.`)
        return peers.every((peer, index) => peer.connections() > (before[index] ?? 0))
      }).catch(async (error: unknown) => {
        agent.child.kill('SIGKILL')
        const { note } = await agent.ended
        throw new Error(`${detailOf(error)}\n${note}${lastLines(home)}`)
      })
      return performance.now() - startedAt
    },
  }
}

function lastLines(home: TestHome): string {
  if (!existsSync(join(home.home, 'logs', 'gateway.log'))) return ''
  return home.read('logs/gateway.log').trim().split('\n').slice(-12).join('\n')
}
