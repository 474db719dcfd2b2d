import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Installed, Listed } from '#kernel/catalog/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import { partsWithCode } from '#kernel/installed/manifest-file.ts'
import { createSandbox, type Sandbox } from '#kernel/sandbox/sandbox.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { findPlugin } from '#rpc/plugins/find-plugin.ts'
import { type Cli, formatTable, paint } from '../../console/cli.ts'
import { runContained } from '../package/run-contained.ts'
import { benchProgram } from './bench-program.ts'

export interface BenchOptions {
  readonly n: string
  readonly json?: true
}

/** What loading a plugin's code costs, in a process that has loaded nothing before: medians. */
export interface BenchRow {
  readonly plugin: string
  readonly runs: number
  readonly ms: number | null
  readonly mib: number | null
  /** How the process ended that could not load it. */
  readonly problem: string | null
}

interface Cost {
  readonly ms: number
  readonly bytes: number
}

const loadWithinMs = 20_000

/** Loads the code of each plugin that may run, several times, each time in a new process; exit code 1 when one cannot be loaded. */
export async function benchPlugins(cli: Cli, word: string | undefined, { n, json }: BenchOptions): Promise<void> {
  if (!/^[1-9]\d{0,2}$/.test(n)) throw fail('USAGE', { problem: '--n takes a number from 1 to 999.', try: 'agent plugins bench --n 10' })
  const { catalog } = await openCatalog(cli)
  const chosen = word === undefined ? catalog.plugins : [requireReady(findPlugin(catalog, word))]
  const sandbox = createSandbox({ clock: systemClock })
  const rows: BenchRow[] = []
  for (const { id, state, installed } of chosen) {
    if (state !== 'ready' || !installed || filesOf(installed).length === 0) continue
    if (!json && cli.terminal) cli.note(`Loading ${id} …`)
    rows.push(await benchPlugin(installed, Number(n), sandbox, cli.signal))
  }
  if (rows.some(({ problem }) => problem !== null)) cli.exit(1)
  if (json) return cli.json({ bench: rows })
  const cells = rows.map(({ plugin, runs, ms, mib, problem }) =>
    problem === null ? [plugin, `${ms} ms`, `${mib} MiB`, String(runs)] : [plugin, '–', '–', problem],
  )
  cli.out(formatTable([['PLUGIN', 'LOADING', 'MEMORY', 'RUNS'].map((title) => paint(cli, 'bold', title)), ...cells]))
}

/** Code of a plugin that nobody has switched on is not run. */
function requireReady(plugin: Listed): Listed {
  if (!plugin.reason) return plugin
  throw fail('PLUGIN_BLOCKED', { plugin: plugin.id, reason: plugin.reason.text, fix: plugin.reason.fix })
}

async function benchPlugin(plugin: Installed, runs: number, sandbox: Sandbox, signal: AbortSignal): Promise<BenchRow> {
  const row = { plugin: plugin.manifest.id, runs }
  const costs: Cost[] = []
  for (let run = 0; run < runs; run += 1) {
    const cost = await loadOnce(plugin, sandbox, signal)
    if (typeof cost === 'string') return { ...row, ms: null, mib: null, problem: cost }
    costs.push(cost)
  }
  const ms = Math.round(median(costs.map((cost) => cost.ms)) * 10) / 10
  const mib = Math.round((median(costs.map((cost) => cost.bytes)) / 1024 / 1024) * 10) / 10
  return { ...row, ms, mib, problem: null }
}

async function loadOnce({ manifest, root, source }: Installed, sandbox: Sandbox, signal: AbortSignal): Promise<Cost | string> {
  const folder = realpathSync(root)
  const task = filesOf({ manifest }).map((entry) => pathToFileURL(join(folder, entry)).href)
  const level = source === 'bundled' ? undefined : await sandbox.level()
  const run = { level, root: folder, program: benchProgram, task, ms: loadWithinMs, what: `Loading ${manifest.id}` }
  try {
    const { answer, code, trouble } = await runContained({ ...run, clock: systemClock, signal })
    return readCost(answer) ?? trouble ?? `its process ended with code ${code}`
  } catch (error) {
    if (isAgentError(error, 'TIMED_OUT')) return `it was not loaded within ${loadWithinMs} ms`
    throw error
  }
}

/** None where a plugin is nothing but its manifest. */
function filesOf({ manifest }: Pick<Installed, 'manifest'>): readonly string[] {
  return [...new Set(partsWithCode(manifest).map(({ entry }) => entry))]
}

function readCost(answer: string): Cost | undefined {
  try {
    const { ms, bytes } = JSON.parse(answer) as Partial<Cost>
    return typeof ms === 'number' && typeof bytes === 'number' ? { ms, bytes } : undefined
  } catch {
    // A plugin that ends the process says nothing, and one may have written on the pipe.
    return undefined
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
