import { fail } from '@agent/plugin-sdk/errors'
import { Command } from 'commander'
import { systemClock } from '#kernel/clock.ts'
import { dayOf, type SpentOnDay } from '#store/usage.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { withStore } from '../home/open-home-store.ts'

interface UsageOptions {
  readonly days: string
  readonly by: string
  readonly json?: true
}

/** By what the tokens can be told apart. */
const groups: Readonly<Record<string, (row: SpentOnDay) => string>> = {
  day: ({ day }) => day,
  model: ({ provider, model }) => `${provider}/${model}`,
  platform: ({ source }) => source,
  session: ({ session }) => session || '(kept by the caller)',
}

export function command(cli: Cli): Command {
  return new Command('usage')
    .description('See what model calls took: tokens in and out, and how many of those in came from a cache.')
    .option('--days <n>', 'of so many days, today among them', '30')
    .option('--by <what>', `apart by ${Object.keys(groups).join(', ')}`, 'day')
    .option('--json', 'as JSON: a row for each day, session and model')
    .action((options: UsageOptions) => show(cli, options))
}

async function show(cli: Cli, options: UsageOptions): Promise<void> {
  const nameOf = groups[options.by]
  if (!nameOf) throw usageError(`There is no --by ${options.by}.`, `--by ${Object.keys(groups).join('|')}`)
  const days = Number(options.days)
  if (!Number.isInteger(days) || days < 1) throw usageError('--days takes a number from 1 on.', '--days 7')
  const rows = await withStore(cli, ({ usage }) => usage.since(dayOf(systemClock.now() - (days - 1) * 24 * 3_600_000)))
  if (options.json) return cli.json({ usage: rows })
  if (rows.length === 0) return cli.out(`No model was asked in ${days === 1 ? 'one day' : `${days} days`}.`)
  const sums = sumUp(rows, nameOf)
  const most = Math.max(...sums.map(({ input, output }) => input + output))
  const head = [options.by, 'calls', 'tokens in', 'from cache', 'tokens out', 'thinking', '']
  const lines = sums.map((sum) => [sum.name, ...formatSum(sum), bar(cli, (sum.input + sum.output) / Math.max(most, 1))])
  cli.out(formatTable([head, ...lines, ...(sums.length > 1 ? [['all', ...formatSum(sumAll(sums)), '']] : [])]))
}

interface Sum {
  readonly name: string
  readonly calls: number
  readonly input: number
  readonly cacheRead: number
  readonly output: number
  readonly reasoning: number
}

function sumUp(rows: readonly SpentOnDay[], nameOf: (row: SpentOnDay) => string): readonly Sum[] {
  const sums = new Map<string, Sum>()
  for (const row of rows) {
    const name = nameOf(row)
    const { calls, usage } = row
    sums.set(name, add(sums.get(name), { name, calls, ...usage }))
  }
  return [...sums.values()]
}

const sumAll = (sums: readonly Sum[]): Sum => sums.reduce((all, sum) => add(all, sum))

function add(before: Sum | undefined, { name, calls, input, cacheRead, output, reasoning }: Sum): Sum {
  if (!before) return { name, calls, input, cacheRead, output, reasoning }
  return {
    name: before.name,
    calls: before.calls + calls,
    input: before.input + input,
    cacheRead: before.cacheRead + cacheRead,
    output: before.output + output,
    reasoning: before.reasoning + reasoning,
  }
}

const formatSum = ({ calls, input, cacheRead, output, reasoning }: Sum): readonly string[] =>
  [calls, input, cacheRead, output, reasoning].map((count) => count.toLocaleString('en-US'))

/** A chart of twenty places: how much this row is of the largest. */
const bar = (cli: Cli, share: number): string => paint(cli, 'cyan', '█'.repeat(Math.max(share > 0 ? 1 : 0, Math.round(share * 20))))

const usageError = (problem: string, example: string): Error => fail('USAGE', { problem, try: `agent usage ${example}` })
