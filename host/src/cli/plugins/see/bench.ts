import { spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { withTimeLimit } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { Installed, Listed } from '#kernel/catalog/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import { partsWithCode } from '#kernel/installed/manifest-file.ts'
import { noDebugger } from '#kernel/no-debugger.ts'
import { type Cli, formatTable, paint } from '../../console/cli.ts'
import { openCatalog } from '../../home/open-catalog.ts'
import { findPlugin } from '../listing/find-plugin.ts'
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
  const rows: BenchRow[] = []
  for (const { id, state, installed } of chosen) {
    if (state !== 'ready' || !installed || filesOf(installed).length === 0) continue
    if (!json && cli.terminal) cli.note(`Loading ${id} …`)
    rows.push(await benchPlugin(installed, Number(n), cli.signal))
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

async function benchPlugin(plugin: Installed, runs: number, signal: AbortSignal): Promise<BenchRow> {
  const row = { plugin: plugin.manifest.id, runs }
  const costs: Cost[] = []
  for (let run = 0; run < runs; run += 1) {
    const cost = await loadOnce(plugin, signal)
    if (typeof cost === 'string') return { ...row, ms: null, mib: null, problem: cost }
    costs.push(cost)
  }
  const ms = Math.round(median(costs.map((cost) => cost.ms)) * 10) / 10
  const mib = Math.round((median(costs.map((cost) => cost.bytes)) / 1024 / 1024) * 10) / 10
  return { ...row, ms, mib, problem: null }
}

async function loadOnce({ manifest, root, source }: Installed, signal: AbortSignal): Promise<Cost | string> {
  const folder = realpathSync(root)
  const urls = filesOf({ manifest }).map((entry) => pathToFileURL(join(folder, entry)).href)
  const args = [...noDebugger(), ...(source === 'bundled' ? [] : restrictions(folder)), '--input-type=module', '--eval', benchProgram]
  const child = spawn(process.execPath, [...args, '--', JSON.stringify(urls)], {
    ...{ cwd: folder, env: {}, stdio: ['ignore', 'ignore', 'ignore', 'pipe'], windowsHide: true },
  })
  let answer = ''
  const answers = child.stdio[3] as Readable
  answers.setEncoding('utf8').on('data', (text: string) => (answer = (answer + text).slice(0, 1000)))
  const ended = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve))
  const limit = { clock: systemClock, signal, ms: loadWithinMs, what: `Loading ${manifest.id}` }
  try {
    const code = await withTimeLimit(limit, () => ended)
    return readCost(answer) ?? `its process ended with code ${code}`
  } catch (error) {
    child.kill('SIGKILL')
    if (isAgentError(error, 'TIMED_OUT')) return `it was not loaded within ${loadWithinMs} ms`
    throw error
  }
}

/** None where a plugin is nothing but its manifest. */
function filesOf({ manifest }: Pick<Installed, 'manifest'>): readonly string[] {
  return [...new Set(partsWithCode(manifest).map(({ entry }) => entry))]
}

/** What came from others may read its own folder and nothing else. */
function restrictions(root: string): readonly string[] {
  const flag = ['--permission', '--experimental-permission'].find((each) => process.allowedNodeEnvironmentFlags.has(each))
  return flag === undefined ? [] : [flag, `--allow-fs-read=${join(root, '*')}`, '--no-warnings']
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
