import { join } from 'node:path'
import { readTail } from '#observe/read-log.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import { type Cli, formatTable, paint } from '../../console/cli.ts'
import { parseLogEntry } from './log-entry.ts'

/** One entry that was loaded. */
export interface Activation {
  readonly plugin: string
  /** `<kind>:<id>`. */
  readonly part: string
  /** When it was loaded: milliseconds after the first one of the same process. */
  readonly at: number
  readonly ms: number
  readonly isolated: boolean
}

const mostLines = 20_000
const barWidth = 30

/** Prints how long the code of each plugin took to load in the gateway that ran last. */
export async function tracePlugins(cli: Cli, { json }: { readonly json?: true }): Promise<void> {
  const { lines } = await readTail(join(openHomeOf(cli).files.logs, 'gateway.log'), mostLines)
  const activations = findActivations(lines)
  if (json) return cli.json({ activations })
  if (activations.length === 0) return cli.out('No gateway has loaded a plugin yet, as far as its log goes back.')
  const end = Math.max(...activations.map(({ at, ms }) => at + ms), 1)
  const rows = activations.map(({ part, plugin, at, ms, isolated }) => [
    part,
    plugin,
    isolated ? 'own process' : 'in process',
    `${at} ms`,
    `${ms} ms`,
    formatBar(at / end, ms / end),
  ])
  cli.out(formatTable([['PART', 'PLUGIN', 'RUNS', 'AT', 'TOOK', ''].map((title) => paint(cli, 'bold', title)), ...rows]))
}

/** The activations of the process that wrote the last of them, in the order in which they began. */
function findActivations(lines: readonly string[]): readonly Activation[] {
  const entries = lines.flatMap((line) => {
    const entry = line.includes('"activated"') ? parseLogEntry(line) : undefined
    return entry && typeof entry.fields.activated === 'string' && typeof entry.fields.ms === 'number' ? [entry] : []
  })
  const pid = entries.at(-1)?.pid
  const own = entries
    .filter((entry) => entry.pid === pid)
    .map(({ time, fields }) => ({ begin: time - Number(fields.ms), fields }))
    .sort((left, right) => left.begin - right.begin)
  return own.map(({ begin, fields }) => ({
    plugin: String(fields.plugin),
    part: String(fields.activated),
    at: begin - (own[0]?.begin ?? begin),
    ms: Number(fields.ms),
    isolated: fields.isolated === true,
  }))
}

function formatBar(start: number, length: number): string {
  const from = Math.min(Math.floor(start * barWidth), barWidth - 1)
  return ' '.repeat(from) + '█'.repeat(Math.max(1, Math.round(length * barWidth)))
}
