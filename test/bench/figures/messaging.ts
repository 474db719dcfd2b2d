import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { makeHome } from '../bench-home.ts'
import { type ChatService, startChatService } from '../chat-service.ts'
import { type Bench, type Figure, percentile, type Row, slownessOf } from '../figure.ts'
import { residentMemory, runSound, type Server, startNode } from '../processes.ts'

const messages = 400
const warmup = 50
const conversations = 2000
const fewer = 1
const more = 11

/** What a message costs on its way through the gateway, and what idle platforms and conversations hold, beside an echo bot on the same service. */
export const messaging: Figure = {
  name: 'messaging',
  async measure(bench) {
    await using service = await startChatService()
    const node = await runSound(bench, ['-e', '0'])
    const gateway = { few: await observe(bench, service, 'gateway', fewer), many: await observe(bench, service, 'gateway', more) }
    const echo = { few: await observe(bench, service, 'echo', fewer), many: await observe(bench, service, 'echo', more) }
    return [overheadRow(gateway.few, echo.few, node.ms), platformRow(gateway, echo), conversationRow(gateway.few, echo.few)]
  },
}

interface Observed {
  /** Milliseconds from the question to its answer, one after the other. */
  readonly times: readonly number[]
  /** MiB when nothing has been said yet. */
  readonly idle: number
  /** MiB with many conversations that rest. */
  readonly talked: number
}

async function observe(bench: Bench, service: ChatService, program: 'gateway' | 'echo', platforms: number): Promise<Observed> {
  const bots = Array.from({ length: platforms }, (_, index) => `talk-${index}`)
  await using server = program === 'echo' ? startEcho(bench, service, bots) : startTalkGateway(bench, service, bots)
  server.child.stdout?.resume()
  for (const giveUpAt = performance.now() + 20_000; service.waiting() < platforms; await sleep(5))
    if (performance.now() > giveUpAt) throw new Error(`the ${program} did not connect: ${server.complaints()}`)
  await sleep(4000, undefined, { signal: bench.signal })
  const idle = residentMemory(server.pid)
  if (platforms > fewer) return { times: [], idle, talked: Number.NaN }
  const times: number[] = []
  for (let number = 0; number < warmup + messages; number++) times.push(await service.ask('talk-0', 'ann', `hello ${number}`))
  for (let number = 0; number < conversations; number += 50)
    await Promise.all(Array.from({ length: 50 }, (_, index) => service.ask('talk-0', `person-${number + index}`, 'hello')))
  await sleep(6000, undefined, { signal: bench.signal })
  return { times: times.slice(warmup), idle, talked: residentMemory(server.pid) }
}

function startEcho(bench: Bench, { url }: ChatService, bots: readonly string[]): Server {
  return startNode(bench, [join(bench.root, 'test/bench/programs/echo-bot.mjs'), url, ...bots])
}

function startTalkGateway(bench: Bench, { url }: ChatService, bots: readonly string[]): Server {
  const home = makeHome(bench, `messaging-${bots.length}`, {
    config: [
      'model: { provider: bench, default: instant }',
      'plugins: { entries: { bench-talk: { enabled: true, isolation: inproc } } }',
      `platforms: { ${bots.map((bot) => `${bot}: { enabled: true, extra: { url: '${url}' } }`).join(', ')} }`,
    ],
  })
  const folder = join(home, 'plugins', 'local', 'bench-talk')
  mkdirSync(join(folder, 'dist'), { recursive: true })
  writeFileSync(join(folder, 'agent.plugin.json'), JSON.stringify(describe(bots)))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  cpSync(join(bench.root, 'test/bench/programs/talk-platform.mjs'), join(folder, 'dist/platform.talk.js'))
  cpSync(join(bench.root, 'test/bench/programs/bench-provider.mjs'), join(folder, 'dist/provider.bench.js'))
  return startNode(bench, [join(bench.root, 'host/bin/agent.mjs'), 'gateway', 'run'], {
    AGENT_HOME: home,
    API_SERVER_ENABLED: 'false',
    GATEWAY_ALLOW_ALL_USERS: 'true',
  })
}

function describe(bots: readonly string[]): object {
  const configSchema = { type: 'object', properties: { url: { type: 'string' } }, required: ['url'], additionalProperties: false }
  const platform = {
    entry: 'dist/platform.talk.js',
    label: 'Talk',
    door: 'messaging',
    reach: 'owner',
    capabilities: {},
    limits: {},
    configSchema,
  }
  return {
    ...{
      manifestVersion: 1,
      id: 'bench-talk',
      name: 'Talk',
      description: 'A chat service of the bench.',
      version: '1.0.0',
      license: 'MIT',
    },
    api: { platform: 1, provider: 1 },
    contributes: {
      platforms: bots.map((id) => ({ id, ...platform })),
      providers: [{ id: 'bench', entry: 'dist/provider.bench.js', label: 'Bench', auth: 'none', defaultModel: 'instant' }],
    },
    permissions: { net: { value: ['127.0.0.1'], reason: 'It talks to the service of the bench.' } },
  }
}

function overheadRow(gateway: Observed, echo: Observed, nodeMs: number): Row {
  const [p50, p95] = [0.5, 0.95].map((part) => percentile(gateway.times, part) - percentile(echo.times, part)) as [number, number]
  const scale = slownessOf(nodeMs)
  return {
    figure: 'messaging-overhead',
    budget: 'p50 ≤ 5 ms, p95 ≤ 15 ms',
    floor: `${percentile(echo.times, 0.5).toFixed(2)} ms echo bot`,
    value: `+${p50.toFixed(2)} ms, +${p95.toFixed(2)} ms`,
    ok: p50 <= 5 * scale && p95 <= 15 * scale,
    note: `${messages} messages one after the other, instant model, store.durability full`,
  }
}

interface Pair {
  readonly few: Observed
  readonly many: Observed
}

function platformRow(gateway: Pair, echo: Pair): Row {
  const each = ({ few, many }: Pair): number => (many.idle - few.idle) / (more - fewer)
  return {
    figure: 'memory-per-idle-platform',
    budget: '≤ 1 MiB',
    floor: `${each(echo).toFixed(2)} MiB echo bot`,
    value: `${each(gateway).toFixed(2)} MiB`,
    ok: each(gateway) <= 1,
    note: `${more} connected platforms of one plugin against ${fewer}; ${gateway.few.idle.toFixed(0)} MiB with ${fewer}, the echo bot ${echo.few.idle.toFixed(0)} MiB`,
  }
}

function conversationRow(gateway: Observed, echo: Observed): Row {
  const each = ({ idle, talked }: Observed): number => Math.max(0, ((talked - idle) * 1024) / conversations)
  return {
    figure: 'memory-per-idle-conversation',
    budget: '≤ 20 KiB',
    floor: `${each(echo).toFixed(1)} KiB echo bot`,
    value: `${each(gateway).toFixed(1)} KiB`,
    ok: each(gateway) <= 20,
    note: `${conversations} conversations that rest, after ${messages + warmup} messages in one: ${gateway.idle.toFixed(0)} → ${gateway.talked.toFixed(0)} MiB`,
  }
}
