import { setTimeout as sleep } from 'node:timers/promises'
import { openCrowds } from '../../support/gateways/crowds.ts'
import { makeFullHome } from '../bench-home.ts'
import { type Figure, median, type Row } from '../figure.ts'
import { openGateway, timeBareFastify } from '../gateway-process.ts'
import { startLineServer } from '../line-server.ts'
import { residentMemory, runSound } from '../processes.ts'

const rounds = 15

/** From the start of the process to its first answered turn, beside a bare fastify; then what it holds when nothing happens. */
export const gatewayStart: Figure = {
  name: 'gateway-start',
  async measure(bench) {
    const home = await makeFullHome(bench, 'gateway-start', { model: (await bench.model()).url, installed: 60 })
    await using irc = await startLineServer()
    const [ntfy] = await openCrowds(({ id }) => id === 'ntfy')
    const close = async (): Promise<void> => await ntfy?.[Symbol.asyncDispose]()
    bench.signal.addEventListener('abort', () => void close())
    const variables = {
      IRC_SERVER: '127.0.0.1',
      IRC_PORT: String(irc.port),
      IRC_USE_TLS: 'false',
      IRC_CHANNEL: '#bench',
      ...(ntfy && { ...ntfy.secrets, NTFY_SERVER_URL: String((ntfy.config as { server_url?: unknown }).server_url) }),
    }
    const times = { bare: [] as number[], node: [] as number[], gateway: [] as number[] }
    let connected: readonly string[] = []
    let memory = Number.NaN
    for (let round = 0; round < rounds; round++) {
      times.node.push((await runSound(bench, ['-e', '0'])).ms)
      times.bare.push(await timeBareFastify(bench))
      await using gateway = await openGateway(bench, { home, variables })
      times.gateway.push(gateway.readyMs)
      if (round < rounds - 1) continue
      await sleep(5000, undefined, { signal: bench.signal })
      connected = gateway.platforms()
      memory = residentMemory(gateway.pid)
    }
    await close()
    return [readyRow(times, connected), memoryRow(memory)]
  },
}

/** Each start is compared with the bare one right before it: a machine that others use is not as fast in one minute as in the next. */
function readyRow(times: { bare: number[]; node: number[]; gateway: number[] }, connected: readonly string[]): Row {
  const bare = median(times.bare)
  const ratio = median(times.gateway.map((ms, round) => ms / (times.bare[round] ?? Number.NaN)))
  return {
    figure: 'gateway-ready',
    budget: '≤ 1.8 × bare fastify',
    floor: `${bare.toFixed(0)} ms bare fastify`,
    value: `${median(times.gateway).toFixed(0)} ms (${ratio.toFixed(2)} ×)`,
    ok: ratio <= 1.8 && connected.length > 2,
    note: `60 installed; ${connected.length} real platforms enabled and connected: ${connected.join(', ')}; node -e 0 ${median(times.node).toFixed(0)} ms`,
  }
}

function memoryRow(memory: number): Row {
  return {
    figure: 'gateway-idle-memory',
    budget: '≤ 100 MiB',
    floor: '',
    value: `${memory.toFixed(1)} MiB`,
    ok: memory <= 100,
    note: 'resident memory 5 s after the first turn',
  }
}
