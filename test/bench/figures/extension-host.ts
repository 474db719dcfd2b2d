import { execFileSync, fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection, Platform, Provider, ProviderContext } from '@agent/plugin-sdk'
import { readMemory } from '../../../host/src/kernel/extension-host/process-readings.ts'
import { openBenchPlugin } from '../extension-plugin.ts'
import { type Bench, type Figure, median, type Row, slownessOf } from '../figure.ts'
import { runSound } from '../processes.ts'

const call = { id: 'c', signal: new AbortController().signal, deadline: 60_000 }
const message = { key: 'in:1:0', account: 'bot', conversation: 'ann', text: 'x'.repeat(150), part: { index: 0, total: 1 } }

/** A child in which plugins of others run: what its start, its memory and its border cost. */
export const extensionHost: Figure = {
  name: 'extension-host',
  async measure(bench) {
    return [...(await measureStart(bench)), await onOneProcessor(() => measureRoundTrip(bench)), await measureStream(bench)]
  },
}

async function measureStart(bench: Bench): Promise<readonly Row[]> {
  const starts: number[] = []
  const memory: number[] = []
  const node: number[] = []
  for (let round = 0; round < 10; round++) {
    node.push((await runSound(bench, ['-e', '0'])).ms)
    await using plugin = openBenchPlugin(bench, 'start')
    const startedAt = performance.now()
    await plugin.hosts.load(plugin.contribution('platform'), 0)
    starts.push(performance.now() - startedAt)
    await sleep(300)
    memory.push((readMemory(plugin.hosts.children()[0]?.pid ?? 0) ?? Number.NaN) / 1024 / 1024)
  }
  const floor = `${median(node).toFixed(0)} ms node -e 0`
  const allowed = 150 * slownessOf(median(node))
  return [
    {
      ...{
        figure: 'extension-host-start',
        budget: '≤ 150 ms',
        floor,
        value: `${median(starts).toFixed(0)} ms`,
        ok: median(starts) <= allowed,
      },
      note: `from nothing to a loaded entry; ${allowed.toFixed(0)} ms allowed on this machine`,
    },
    {
      ...{
        figure: 'extension-host-memory',
        budget: '≤ 60 MiB',
        floor: '',
        value: `${median(memory).toFixed(0)} MiB`,
        ok: median(memory) <= 60,
      },
      note: 'resident, idle, one entry loaded',
    },
  ]
}

const calls = 500
const rounds = 30

/**
 * Keeps this process, and what it starts, on one processor: waking another one takes longer than the call itself, so that the ratio would
 * tell where the system has put the processes.
 */
async function onOneProcessor<Result>(run: () => Promise<Result>): Promise<Result> {
  const [, allowed = '0'] = /^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  const keepOn = (list: string): void => void execFileSync('taskset', ['-pc', list, String(process.pid)])
  keepOn(allowed.split(/[,-]/)[0] ?? '0')
  try {
    return await run()
  } finally {
    keepOn(allowed)
  }
}

async function measureRoundTrip(bench: Bench): Promise<Row> {
  await using plugin = openBenchPlugin(bench, 'trip')
  const connection = await connect(plugin)
  const other = fork(join(bench.root, 'test', 'bench', 'programs', 'fork-ping.mjs'))
  const ask = (): Promise<unknown> => {
    const answer = new Promise((resolve) => other.once('message', resolve))
    other.send(message)
    return answer
  }
  const measured: { fork: number; border: number }[] = []
  try {
    for (let round = 0; round < rounds; round++) {
      measured.push({ fork: await timeCalls(ask), border: await timeCalls(() => connection.send?.(message, call)) })
    }
  } finally {
    other.kill()
  }
  const warm = measured.slice(5)
  const ratio = median(warm.map(({ fork, border }) => border / fork))
  return {
    ...{
      figure: 'extension-host-round-trip',
      budget: '≤ 1.5 × fork ping',
      floor: `${median(warm.map((one) => one.fork)).toFixed(0)} µs fork ping`,
    },
    ...{ value: `${median(warm.map((one) => one.border)).toFixed(0)} µs (${ratio.toFixed(2)} ×)`, ok: ratio <= 1.5 },
    note: 'send() of a message of 200 bytes; medians of rounds that stand beside each other, all processes on one processor',
  }
}

async function connect(plugin: ReturnType<typeof openBenchPlugin>): Promise<Connection> {
  const platform = (await plugin.hosts.load(plugin.contribution('platform'), 0)) as Platform
  return platform.connect(plugin.context('platform') as never, call)
}

/** Median of one round trip in microseconds. */
async function timeCalls(ask: () => unknown): Promise<number> {
  const times: number[] = []
  for (let done = 0; done < calls; done++) {
    const startedAt = performance.now()
    await ask()
    times.push((performance.now() - startedAt) * 1000)
  }
  return median(times)
}

const events = 200_000

async function measureStream(bench: Bench): Promise<Row> {
  await using plugin = openBenchPlugin(bench, 'stream')
  const provider = (await plugin.hosts.load(plugin.contribution('provider'), 0)) as Provider
  const model = await provider.open(plugin.context('provider') as ProviderContext, call)
  const rates: number[] = []
  for (let round = 0; round < 5; round++) {
    let seen = 0
    const startedAt = performance.now()
    for await (const _event of model.stream({ maxTokens: events } as never, call)) seen++
    rates.push(seen / ((performance.now() - startedAt) / 1000))
  }
  const here = await timeInProcess()
  return {
    ...{
      figure: 'extension-host-stream',
      budget: '≥ 300,000 events/s',
      floor: `${format(here)} events/s in process`,
      value: `${format(median(rates))} events/s`,
    },
    ok: median(rates) >= 300_000,
    note: `${format(events)} events of a model, gathered`,
  }
}

async function timeInProcess(): Promise<number> {
  async function* stream() {
    for (let n = 0; n < events; n++) yield { type: 'text', delta: 'word ' }
  }
  let seen = 0
  const startedAt = performance.now()
  for await (const _event of stream()) seen++
  return seen / ((performance.now() - startedAt) / 1000)
}

const format = (value: number): string => Math.round(value).toLocaleString('en-US')
