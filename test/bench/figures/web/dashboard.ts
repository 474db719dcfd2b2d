import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fail } from '@agent/plugin-sdk/errors'
import { WebSocket } from 'ws'
import { makeHome } from '../../bench-home.ts'
import { type Bench, type Figure, median, type Row, slownessOf } from '../../figure.ts'
import { openGateway } from '../../gateway-process.ts'
import { residentMemory, runSound, startNode } from '../../processes.ts'

const rounds = 9
const asks = 25
const browsers = 200
const token = 'the-token-of-the-bench'

interface Dashboard extends AsyncDisposable {
  readonly pid: number
  readonly readyMs: number
  ask(path: string, method?: string): Promise<unknown>
  /** Opens the connection of a page, and says something over it. */
  visit(): Promise<WebSocket>
}

/** The dashboard as a process: its start beside the gateway's, its catalog, and what open pages cost. */
export const dashboard: Figure = {
  name: 'dashboard',
  async measure(bench) {
    const model = { model: (await bench.model()).url }
    const home = makeHome(bench, 'dashboard', { ...model, installed: 60 })
    const times = { node: [] as number[], gateway: [] as number[], dashboard: [] as number[] }
    for (let round = 0; round < rounds; round++) {
      times.node.push((await runSound(bench, ['-e', '0'])).ms)
      await using gateway = await openGateway(bench, { home })
      times.gateway.push(gateway.readyMs)
      await using opened = await openDashboard(bench, home)
      times.dashboard.push(opened.readyMs)
    }
    const many = makeHome(bench, 'dashboard-many', { ...model, installed: 100 })
    await using opened = await openDashboard(bench, many)
    const nodeMs = median(times.node)
    return [readyRow(times, nodeMs), await catalogRow(opened, nodeMs), await browsersRow(bench, opened)]
  },
}

function readyRow({ gateway, dashboard: own }: { readonly gateway: number[]; readonly dashboard: number[] }, nodeMs: number): Row {
  const after = median(own.map((ms, round) => ms - (gateway[round] ?? Number.NaN)))
  return {
    figure: 'dashboard-ready',
    budget: '≤ 100 ms after the gateway',
    floor: `${median(gateway).toFixed(0)} ms gateway`,
    value: `${median(own).toFixed(0)} ms (${after.toFixed(0)} ms after)`,
    ok: after <= 100 * slownessOf(nodeMs),
    note: `from the start of its process to the page, 60 installed; both begin at once in npm start; node -e 0 ${nodeMs.toFixed(0)} ms`,
  }
}

async function catalogRow({ ask }: Dashboard, nodeMs: number): Promise<Row> {
  const times = { status: [] as number[], catalog: [] as number[] }
  let plugins = 0
  for (let at = 0; at < asks; at++) {
    const from = performance.now()
    await ask('/api/auth/me')
    const between = performance.now()
    const list = (await ask('/api/plugins')) as { readonly plugins: readonly unknown[] }
    times.catalog.push(performance.now() - between)
    times.status.push(between - from)
    plugins = list.plugins.length
  }
  const ms = median(times.catalog)
  return {
    figure: 'dashboard-catalog',
    budget: '≤ 20 ms',
    floor: `${median(times.status).toFixed(1)} ms another request`,
    value: `${ms.toFixed(1)} ms`,
    ok: ms <= 20 * slownessOf(nodeMs) && plugins > 100,
    note: `GET /api/plugins of ${plugins} plugins, 100 of them installed`,
  }
}

async function browsersRow({ signal }: Bench, { pid, visit }: Dashboard): Promise<Row> {
  const first = await visit()
  await sleep(2000, undefined, { signal })
  const before = residentMemory(pid)
  const open: WebSocket[] = []
  for (let at = 0; at < browsers; at++) open.push(await visit())
  await sleep(2000, undefined, { signal })
  const grown = residentMemory(pid) - before
  for (const socket of [first, ...open]) socket.terminate()
  return {
    figure: 'dashboard-browsers',
    budget: '≤ 60 MiB for 200',
    floor: `${before.toFixed(0)} MiB with one`,
    value: `+${grown.toFixed(1)} MiB`,
    ok: grown <= 60,
    note: `${browsers} connections, each with a conversation of its agent open`,
  }
}

async function openDashboard(bench: Bench, home: string): Promise<Dashboard> {
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
    return {
      ...{ readyMs, pid: server.pid, ask },
      visit: async () => {
        const { ticket } = (await ask('/api/auth/ticket', 'POST')) as { readonly ticket: string }
        return visit(new URL(`/api/ws?ticket=${ticket}`, String(url).replace('http', 'ws')))
      },
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  } catch (error) {
    await server[Symbol.asyncDispose]()
    throw error
  }
}

function visit(address: URL): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(address)
    socket.once('error', reject)
    socket.once('open', () => socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'session.create', params: {} })))
    socket.once('message', (data) => {
      const { error } = JSON.parse(String(data)) as { readonly error?: unknown }
      if (error === undefined) resolve(socket)
      else reject(fail('INTERNAL', { detail: `a page was answered ${JSON.stringify(error)}` }))
    })
  })
}
