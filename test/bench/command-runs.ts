import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, median } from './figure.ts'
import { runSound } from './processes.ts'

export interface CommandFigures {
  readonly ms: number
  /** Peak, in MiB. */
  readonly memory: number
  /** The same of `node -e 0`, run in turn with it. */
  readonly nodeMs: number
  readonly nodeMemory: number
}

/** Runs an agent command in turn with `node -e 0`; the runs that are timed carry no probe. */
export async function measureCommand(bench: Bench, words: readonly string[], home: string): Promise<CommandFigures> {
  const command = [join(bench.root, 'host/bin/agent.mjs'), ...words]
  const variables = { AGENT_HOME: home }
  await runSound(bench, command, variables)
  const times: number[] = []
  const bare: number[] = []
  for (let round = 0; round < 11; round++) {
    bare.push((await runSound(bench, ['-e', '0'])).ms)
    times.push((await runSound(bench, command, variables)).ms)
  }
  const peak = join(bench.folder, 'peak')
  const probe = ['--require', join(bench.root, 'test/bench/programs/peak-memory.cjs')]
  const peakOf = async (args: readonly string[]): Promise<number> => {
    await runSound(bench, [...probe, ...args], { ...variables, BENCH_PEAK: peak })
    return Number(readFileSync(peak, 'utf8')) / 1024
  }
  const memory: number[] = []
  for (let round = 0; round < 5; round++) memory.push(await peakOf(command))
  return { ms: median(times), memory: median(memory), nodeMs: median(bare), nodeMemory: await peakOf(['-e', '0']) }
}

/** Modules of plugins, bundled and installed, that a command loads. */
export async function listPluginImports(bench: Bench, words: readonly string[], home: string): Promise<{ plugins: number; all: number }> {
  const file = join(bench.folder, `imports-${words.join('-').replaceAll(/[^a-z-]/g, '')}`)
  const probe = ['--import', join(bench.root, 'test/bench/programs/list-imports.mjs')]
  await runSound(bench, [...probe, join(bench.root, 'host/bin/agent.mjs'), ...words], { AGENT_HOME: home, BENCH_IMPORTS: file })
  const urls = readFileSync(file, 'utf8').trim().split('\n')
  return { all: urls.length, plugins: urls.filter((url) => url.includes('/plugins/')).length }
}
