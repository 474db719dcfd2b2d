import { setTimeout as sleep } from 'node:timers/promises'
import { fail } from '@agent/plugin-sdk/errors'
import { WebSocket } from 'ws'
import { makeHome } from '../../bench-home.ts'
import { type Bench, type Figure, median, type Row, slownessOf } from '../../figure.ts'
import { openGateway } from '../../gateway-process.ts'
import { residentMemory, runSound } from '../../processes.ts'
import { type DashboardProcess, openDashboard } from './dashboard-process.ts'

const rounds = 9
const asks = 25
const browsers = 200

/** The dashboard as a process: its start beside the gateway's, its catalog, and what open pages cost. */
export const dashboard: Figure = {
  name: 'dashboard',
  async measure(bench) {
    const model = { model: (await bench.model()).url }
    const home = makeHome(bench, 'dashboard', { ...model, installed: 60 })
    const times = { node: [] as number[], gateway: [] as number[], dashboard: [] as number[] }
    const beside: Beside[] = []
    for (let round = 0; round < rounds; round++) {
      times.node.push((await runSound(bench, ['-e', '0'])).ms)
      const [alone, together] = [await startGateway(bench, home, []), await startGateway(bench, home, ['--dashboard'])]
      beside.push({ alone, together })
      times.gateway.push(alone.readyMs)
      await using opened = await openDashboard(bench, home)
      times.dashboard.push(opened.readyMs)
    }
    const many = makeHome(bench, 'dashboard-many', { ...model, installed: 100 })
    await using opened = await openDashboard(bench, many)
    const nodeMs = median(times.node)
    return [readyRow(times, nodeMs), ...gatewayRows(beside, nodeMs), await catalogRow(opened, nodeMs), await browsersRow(bench, opened)]
  },
}

interface Started {
  readonly readyMs: number
  /** MiB, once it has answered and rested. */
  readonly memory: number
}

interface Beside {
  readonly alone: Started
  readonly together: Started
}

async function startGateway(bench: Bench, home: string, args: readonly string[]): Promise<Started> {
  await using gateway = await openGateway(bench, { home, args })
  await sleep(1500, undefined, { signal: bench.signal })
  return { readyMs: gateway.readyMs, memory: residentMemory(gateway.pid) }
}

/** The dashboard is a process beside the gateway; both begin at once, on the same cores. */
function gatewayRows(beside: readonly Beside[], nodeMs: number): readonly Row[] {
  const alone = median(beside.map((pair) => pair.alone.readyMs))
  const later = median(beside.map((pair) => pair.together.readyMs - pair.alone.readyMs))
  const memory = median(beside.map((pair) => pair.alone.memory))
  const more = median(beside.map((pair) => pair.together.memory - pair.alone.memory))
  const note = 'a gateway that starts the dashboard beside itself and has no visitor, beside one without'
  return [
    {
      ...{ figure: 'dashboard-gateway-ready', budget: '≤ 100 ms later', floor: `${alone.toFixed(0)} ms without`, note },
      ...{ value: `${later.toFixed(0)} ms later`, ok: later <= 100 * slownessOf(nodeMs) },
    },
    {
      ...{ figure: 'dashboard-gateway-memory', budget: '≤ 5 MiB more', floor: `${memory.toFixed(0)} MiB without`, note },
      ...{ value: `${more.toFixed(1)} MiB more`, ok: more <= 5 },
    },
  ]
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

async function catalogRow({ ask }: DashboardProcess, nodeMs: number): Promise<Row> {
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

async function browsersRow({ signal }: Bench, { pid, url, ask }: DashboardProcess): Promise<Row> {
  /** Opens the connection of a page, and says something over it. */
  const open = async (): Promise<WebSocket> => {
    const { ticket } = (await ask('/api/auth/ticket', 'POST')) as { readonly ticket: string }
    return visit(new URL(`/api/ws?ticket=${ticket}`, url.replace('http', 'ws')))
  }
  const first = await open()
  await sleep(2000, undefined, { signal })
  const before = residentMemory(pid)
  const others: WebSocket[] = []
  for (let at = 0; at < browsers; at++) others.push(await open())
  await sleep(2000, undefined, { signal })
  const grown = residentMemory(pid) - before
  for (const socket of [first, ...others]) socket.terminate()
  return {
    figure: 'dashboard-browsers',
    budget: '≤ 60 MiB for 200',
    floor: `${before.toFixed(0)} MiB with one`,
    value: `+${grown.toFixed(1)} MiB`,
    ok: grown <= 60,
    note: `${browsers} connections, each with a conversation of its agent open`,
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
