import { once } from 'node:events'
import { closeSync, cpSync, fdatasyncSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { systemClock } from '../../../host/src/kernel/clock.ts'
import { makeHome } from '../bench-home.ts'
import { type Bench, type Figure, median, slownessOf } from '../figure.ts'
import { processorSeconds, startNode, timeStarts } from '../processes.ts'

const conversations = 200
const rounds = 45
/** One before a message is acknowledged, one with its answer. */
const barriersPerMessage = 2

interface Report {
  readonly answered: number
  readonly doubles: number
  readonly perSecond: number
  /** Microseconds of the gateway a message, its start included. */
  readonly processor: number
}

/** Messages accepted, answered and delivered by the whole gateway, stored with a barrier before the acknowledgement and one with the answer. */
export const durableMessages: Figure = {
  name: 'durable-messages',
  async measure(bench) {
    const reports = createServer()
    try {
      const before = await timeStarts(bench, 5)
      const floor = measureBarriers(bench) / barriersPerMessage
      const report = await runPlatform(bench, reports)
      const starts = [...before, ...(await timeStarts(bench, 5))]
      // Where the disk is slow, messages share barriers: never fewer than a loop that gives each its own.
      const least = Math.min(2000 / slownessOf(median(starts)), floor)
      return [
        {
          figure: 'durable-messages',
          budget: '≥ 2000 /s',
          floor: `${floor.toFixed(0)} /s two barriers each`,
          value: `${report.perSecond.toFixed(0)} /s`,
          ok: report.perSecond >= least && report.doubles === 0 && report.answered === conversations * rounds,
          note: `${least.toFixed(0)} /s asked on this machine; ${conversations} conversations that each wait for their answer, ${rounds} messages each, instant model in process, store.durability full, ${report.doubles} doubles, ${report.processor.toFixed(0)} µs of processor a message`,
        },
      ]
    } finally {
      reports.closeAllConnections()
      reports.close()
    }
  },
}

/** Times a second that a piece of a journal is written and brought to the disk. */
function measureBarriers({ folder }: Bench): number {
  const file = openSync(join(folder, 'barriers'), 'w')
  const piece = Buffer.alloc(1024, 1)
  const from = performance.now()
  let done = 0
  while (performance.now() - from < 1000) {
    writeSync(file, piece)
    fdatasyncSync(file)
    done++
  }
  closeSync(file)
  return (done * 1000) / (performance.now() - from)
}

/** Starts a gateway with the bench's own platform and model, and waits for what the platform saw. */
async function runPlatform(bench: Bench, reports: Server): Promise<Report> {
  reports.listen(0, '127.0.0.1')
  await once(reports, 'listening')
  const address = reports.address()
  const port = typeof address === 'object' ? address?.port : 0
  const home = makeHome(bench, 'durable', {
    config: [
      'model: { provider: bench, default: instant }',
      'plugins: { entries: { bench-messages: { enabled: true, isolation: inproc } } }',
      `platforms: { bench: { enabled: true, extra: { rounds: ${rounds}, report: 'http://127.0.0.1:${port}/' } } }`,
    ],
  })
  installPlugin(bench, home)
  const limit = { clock: systemClock, signal: bench.signal, ms: 60_000, what: 'The report' }
  const arrived = withTimeLimit(limit, (signal) => once(reports, 'request', { signal }))
  const args = [join(bench.root, 'host/bin/agent.mjs'), 'gateway', 'run']
  await using server = startNode(bench, args, { AGENT_HOME: home, API_SERVER_ENABLED: 'false', BENCH_ALLOW_ALL_USERS: 'true' })
  server.child.stdout?.resume()
  const ended = once(server.child, 'exit').then(() => undefined)
  const request = await Promise.race([arrived, ended])
  if (request === undefined) throw fail('INTERNAL', { detail: `the gateway ended: ${server.complaints()}` })
  const [incoming, response] = request
  const report = JSON.parse(await text(incoming)) as Omit<Report, 'processor'>
  response.end()
  return { ...report, processor: (processorSeconds(server.pid) * 1e6) / report.answered }
}

function installPlugin({ root }: Bench, home: string): void {
  const folder = join(home, 'plugins', 'local', 'bench-messages')
  mkdirSync(join(folder, 'dist'), { recursive: true })
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify(manifest))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  for (const kind of ['platform', 'provider']) {
    cpSync(join(root, `test/bench/programs/bench-${kind}.mjs`), join(folder, `dist/${kind}.bench.js`))
  }
}

const manifest = {
  manifestVersion: 1,
  id: 'bench-messages',
  name: 'Bench',
  description: 'Conversations that never rest, and a model that answers at once.',
  version: '1.0.0',
  license: 'MIT',
  api: { platform: 1, provider: 1 },
  contributes: {
    platforms: [
      {
        id: 'bench',
        entry: 'dist/platform.bench.js',
        label: 'Bench',
        door: 'messaging',
        reach: 'owner',
        capabilities: { idempotentSend: true },
        limits: {},
        configSchema: {
          type: 'object',
          properties: { rounds: { type: 'integer' }, report: { type: 'string' } },
          required: ['rounds', 'report'],
          additionalProperties: false,
        },
      },
    ],
    providers: [{ id: 'bench', entry: 'dist/provider.bench.js', label: 'Bench', auth: 'none', defaultModel: 'instant' }],
  },
  permissions: { net: { value: ['127.0.0.1'], reason: 'Reports what it measured.' } },
}
