import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { openAgent } from '../../../../host/src/agent/open-agent.ts'
import { createCall } from '../../../../host/src/kernel/calls/call.ts'
import { openToolset } from '../../../../plugins/toolsets/mcp/test/open-toolset.ts'
import { type Bench, type Figure, median, type Row, slownessOf } from '../../figure.ts'
import { runSound } from '../../processes.ts'

const calls = 400
const warmingUp = 50
const callBudgetMs = 1

const servers = 20
const opens = 40
const openBudgetMs = 0.2

/** What our MCP client takes beyond the protocol's own library, and what servers cost that nobody uses. */
export const mcp: Figure = {
  name: 'mcp',
  measure: async (bench) => [await measureCalls(bench), ...(await measureUnused(bench))],
}

/** The same call of the same real server, by our toolset and by the library alone, one after the other; each has a server. */
async function measureCalls({ root, signal }: Bench): Promise<Row> {
  const main = createRequire(join(root, 'package.json')).resolve('@modelcontextprotocol/server-everything/dist/index.js')
  const started = { command: process.execPath, args: [main, 'stdio'] }
  await using toolset = await openToolset({ peer: { ...started, trust: 'full' } })
  const plain = new Client({ name: 'bench', version: '1.0.0' })
  await plain.connect(new StdioClientTransport({ ...started, stderr: 'ignore' }))
  try {
    await toolset.list({ fresh: true })
    const args = { message: 'hello' }
    const measured: { readonly plain: number; readonly own: number }[] = []
    for (let round = 0; round < warmingUp + calls; round++) {
      signal.throwIfAborted()
      const own = await time(async () => requireEcho((await toolset.run('mcp_peer_echo', args)) as object))
      const alone = await time(async () => requireEcho(await plain.callTool({ name: 'echo', arguments: args })))
      if (round >= warmingUp) measured.push({ plain: alone, own: own - alone })
    }
    const over = median(measured.map(({ own }) => own))
    return {
      figure: 'mcp-call-overhead',
      budget: `≤ ${callBudgetMs} ms p50`,
      floor: `${median(measured.map((round) => round.plain)).toFixed(2)} ms by the library alone`,
      value: `${over.toFixed(2)} ms`,
      ok: over <= callBudgetMs,
      note: `${calls} calls of a tool of a real server over standard input and output; median of the rounds' own differences`,
    }
  } finally {
    await plain.close()
  }
}

function requireEcho(answer: object): void {
  if (!JSON.stringify(answer).includes('Echo: hello')) throw new Error(`a call of the bench failed: ${JSON.stringify(answer)}`)
}

/** An agent that is opened and answers once, with servers in its settings and without. Each server would leave a file. */
async function measureUnused(bench: Bench): Promise<readonly Row[]> {
  const folder = join(bench.folder, 'mcp')
  const started = join(folder, 'started')
  mkdirSync(started, { recursive: true })
  const named = Array.from({ length: servers }, (_, at) => [`server${at}`, { command: 'touch', args: [join(started, String(at))] }])
  const homes = [makeHome(join(folder, 'none'), {}), makeHome(join(folder, 'twenty'), Object.fromEntries(named))] as const
  const measured: { readonly plain: number; readonly own: number }[] = []
  const node: number[] = []
  for (let round = 0; round < opens; round++) {
    if (round % 4 === 0) node.push((await runSound(bench, ['-e', '0'])).ms)
    const plain = await time(() => openAndAsk(bench, homes[0]))
    const own = (await time(() => openAndAsk(bench, homes[1]))) - plain
    if (round >= opens / 4) measured.push({ plain, own: own / servers })
  }
  const each = median(measured.map(({ own }) => own))
  const allowed = openBudgetMs * slownessOf(median(node))
  const processes = readdirSync(started).length
  return [
    {
      figure: 'mcp-unused-start',
      budget: `≤ ${openBudgetMs} ms each`,
      floor: `${median(measured.map(({ plain }) => plain)).toFixed(1)} ms without servers`,
      value: `${each.toFixed(3)} ms`,
      ok: each <= allowed,
      note: `an agent is opened, answers once and is closed, with ${servers} servers and without; median of the rounds' own differences; ${allowed.toFixed(2)} ms allowed on this machine`,
    },
    { figure: 'mcp-unused-processes', budget: '0', floor: '', value: String(processes), ok: processes === 0 },
  ]
}

function makeHome(home: string, mcpServers: object): string {
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, 'config.yaml'), JSON.stringify({ model: { provider: 'offline' }, mcp_servers: mcpServers }))
  return home
}

async function openAndAsk({ root, signal }: Bench, home: string): Promise<void> {
  const agent = await openAgent({
    ...{ installRoot: root, profile: undefined, workspace: home, note: () => undefined },
    environment: { ...process.env, AGENT_HOME: home },
  })
  try {
    const request = { input: [{ type: 'text', text: 'hello' }], source: 'bench', canAnswer: false } as const
    for await (const event of agent.turns.run(request, createCall(signal)))
      if (event.type === 'error') throw new Error(`a turn of the bench failed: ${event.text}`)
  } finally {
    await agent.close()
  }
}

async function time(act: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}
