import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { Provider, ProviderContext } from '@agent/plugin-sdk'
import { readMemory } from '../../../host/src/kernel/extension-host/process-readings.ts'
import { openBenchPlugin } from '../extension-plugin.ts'
import { type Bench, type Figure, median, type Row, slownessOf } from '../figure.ts'
import { runSound } from '../processes.ts'
import type { Trips } from '../programs/round-trip.ts'

const call = { id: 'c', signal: new AbortController().signal, deadline: 60_000 }

/** A child in which plugins of others run: what its start, its memory and its border cost. */
export const extensionHost: Figure = {
  name: 'extension-host',
  async measure(bench) {
    return [...(await measureStart(bench)), await measureRoundTrip(bench), await measureStream(bench)]
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

/**
 * Measured by a program that has loaded nothing else, with what the host sets for its collector: beside the code of all other figures, of which
 * it needs none, the same call takes a fifth of a ping more, and which part of that code it is cannot be told.
 */
async function measureRoundTrip(bench: Bench): Promise<Row> {
  const { bundleTypeScript } = (await import(pathToFileURL(join(bench.root, 'host/install/programs.mjs')).href)) as {
    bundleTypeScript(root: string, file: string): Promise<string>
  }
  const program = await bundleTypeScript(bench.root, join(bench.root, 'test/bench/programs/round-trip.ts'))
  const { output } = await runSound(bench, ['--no-parallel-scavenge', program, bench.root, bench.folder])
  const { ping, border, ratio } = JSON.parse(output) as Trips
  return {
    ...{ figure: 'extension-host-round-trip', budget: '≤ 1.5 × fork ping', floor: `${ping.toFixed(0)} µs fork ping` },
    ...{ value: `${border.toFixed(0)} µs (${ratio.toFixed(2)} ×)`, ok: ratio <= 1.5 },
    note: 'send() of a message of 200 bytes; medians of rounds that stand beside each other, all processes on one processor',
  }
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
