import { fail } from '@agent/plugin-sdk/errors'
import { Command } from 'commander'
import { formatCostSum } from '#models/catalog/cost-sum.ts'
import { printable } from '#observe/printable.ts'
import { withStore } from '#rpc/home/open-home-store.ts'
import { type PricedRow, readUsage, sumAll, sumUsage, type UsageSum } from '#rpc/usage/read-usage.ts'
import { type ChildAgents, rootOf } from '#store/child-agents.ts'
import type { SpentOnDay } from '#store/usage.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'

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
  person: ({ source, person }) => (person === '' ? `(nobody known on ${source})` : `${person} on ${source}`),
  job: ({ job }) => job ?? '(no job)',
  session: ({ session }) => session || '(kept by the caller)',
}

export function command(cli: Cli): Command {
  return new Command('usage')
    .description('See what model calls took: tokens in and out, how many of those in came from a cache, and the cost.')
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
  const { rows } = await readUsage(cli, days)
  if (options.json) return cli.json({ usage: rows.map(toJson) })
  if (rows.length === 0) return cli.out(`No model was asked in ${days === 1 ? 'one day' : `${days} days`}.`)
  const shown = await shownNames(cli, options.by, rows.map(nameOf))
  const sums = sumUsage(rows, (row) => shown(nameOf(row)))
  const most = Math.max(...sums.map(({ input, output }) => input + output))
  const hasCosts = sums.some(({ spent }) => spent.isKnown)
  const format = (sum: UsageSum): readonly string[] => [...formatSum(sum), ...(hasCosts ? [formatCostSum(sum.spent)] : [])]
  const head = [options.by, 'calls', 'tokens in', 'from cache', 'tokens out', 'thinking', ...(hasCosts ? ['cost'] : []), '']
  const lines = sums.map((sum) => [sum.name, ...format(sum), bar(cli, (sum.input + sum.output) / Math.max(most, 1))])
  cli.out(formatTable([head, ...lines, ...(sums.length > 1 ? [['all', ...format(sumAll(sums)), '']] : [])]))
  const estimated = rows.reduce((sum, row) => sum + (row.estimated ?? 0), 0)
  if (estimated > 0)
    cli.out(`${estimated === 1 ? '1 call' : `${estimated} calls`} broke off: what was sent and received counts, by an estimate.`)
  if (!hasCosts) cli.out('No price is known for any of it. agent model --refresh fetches prices; prices in config.yaml sets them.')
  if (hasCosts && sums.some(({ spent }) => spent.isMore))
    cli.out('≥: some of it has no price, or one that rises with the length of a request.')
}

/** What child agents took is shown with their conversation. A job is shown by its name too; one that was removed has none any more. */
async function shownNames(cli: Cli, by: string, names: readonly string[]): Promise<(name: string) => string> {
  if (by === 'session') return withChildren(await withStore(cli, (store) => store.sessions.childAgents()), names)
  if (by !== 'job') return (name) => name
  const jobs = await withStore(cli, (store) => store.jobs.list())
  const known = new Map(jobs.map(({ id, name }) => [id, `${printable(name)} (${id})`]))
  return (name) => known.get(name) ?? name
}

function withChildren(children: ChildAgents, sessions: readonly string[]): (name: string) => string {
  const below = new Map<string, Set<string>>()
  for (const id of sessions) {
    const root = rootOf(children, id)
    const found = below.get(root) ?? new Set()
    below.set(root, root === id ? found : found.add(id))
  }
  return (id) => {
    const root = rootOf(children, id)
    const count = below.get(root)?.size ?? 0
    return count === 0 ? root : `${root}, with ${count === 1 ? 'a child agent' : `${count} child agents`}`
  }
}

/** Dollars, null where nobody knows; and how many calls broke off, so that what they took is estimated. */
function toJson({ spent, ...row }: PricedRow) {
  return { ...row, job: row.job ?? null, estimated: row.estimated ?? 0, cost: spent.isKnown ? spent.cost / 1e6 : null }
}

const formatSum = ({ calls, input, cacheRead, output, reasoning }: UsageSum): readonly string[] =>
  [calls, input, cacheRead, output, reasoning].map((count) => count.toLocaleString('en-US'))

/** A chart of twenty places: how much this row is of the largest. */
const bar = (cli: Cli, share: number): string => paint(cli, 'cyan', '█'.repeat(Math.max(share > 0 ? 1 : 0, Math.round(share * 20))))

const usageError = (problem: string, example: string): Error => fail('USAGE', { problem, try: `agent usage ${example}` })
