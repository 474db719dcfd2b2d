import { type AgentProcess, startAgent } from '../run-agent.ts'
import type { TestHome } from '../test-home.ts'

const address = /The dashboard is at (http:\/\/127\.0\.0\.1:\d+\/)/

export interface RunningDashboard {
  readonly url: string
  end(signal: NodeJS.Signals): Promise<void>
}

/** `agent dashboard` in a process. Port 0 takes a free one. */
export async function startDashboard(home: TestHome, port: number, token?: string): Promise<RunningDashboard> {
  const environment = token === undefined ? {} : { AGENT_DASHBOARD_SESSION_TOKEN: token }
  const words = ['dashboard', '--no-open', '--port', String(port)]
  const program: AgentProcess = startAgent(home, words, { environment, timeoutMs: 110_000 })
  const [, url = ''] = address.exec(await program.heard(address)) ?? []
  return {
    url,
    end: async (signal) => {
      program.child.kill(signal)
      await program.ended
    },
  }
}
