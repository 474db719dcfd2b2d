import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fail } from '@agent/plugin-sdk/errors'
import type { Bench } from '../../figure.ts'
import { startNode } from '../../processes.ts'

const token = 'the-token-of-the-bench'

/** `agent dashboard` in a separate process. */
export interface DashboardProcess extends AsyncDisposable {
  readonly pid: number
  readonly url: string
  readonly readyMs: number
  ask(path: string, method?: string): Promise<unknown>
}

export async function openDashboard(bench: Bench, home: string): Promise<DashboardProcess> {
  const args = [join(bench.root, 'host/bin/agent.mjs'), 'dashboard', '--no-open', '--port', '0']
  const startedAt = performance.now()
  const server = startNode(bench, args, { AGENT_HOME: home, AGENT_DASHBOARD_SESSION_TOKEN: token })
  try {
    let said = ''
    server.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
    let url: string | undefined
    while (url === undefined) {
      if (server.child.exitCode !== null) throw fail('INTERNAL', { detail: `the dashboard ended: ${server.complaints()}` })
      url = /http:\/\/\S+/.exec(said)?.[0]
      if (url === undefined) await sleep(1, undefined, { signal: bench.signal })
    }
    const ask = async (path: string, method = 'GET'): Promise<unknown> => {
      const answer = await fetch(new URL(path, url), { method, headers: { 'x-agent-session-token': token }, signal: bench.signal })
      if (!answer.ok) throw fail('INTERNAL', { detail: `${path} was answered ${answer.status}` })
      return answer.json()
    }
    const page = await fetch(url, { signal: bench.signal })
    if (!(await page.text()).includes(token)) throw fail('INTERNAL', { detail: `the page was answered ${page.status}` })
    const readyMs = performance.now() - startedAt
    return { readyMs, pid: server.pid, url, ask, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
}
