import { fail } from '@agent/plugin-sdk/errors'
import { contractKinds } from '#kernel/kinds.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { printable } from '#observe/printable.ts'
import { type Cli, formatTable } from '../../console/cli.ts'
import { withJsonErrors } from '../../console/json-errors.ts'
import { currentLists } from '../catalogs/refresh-lists.ts'
import { type FoundPackage, findPackages } from './find-packages.ts'
import { markCurated } from './mark-curated.ts'

export interface SearchOptions {
  readonly json?: true
  readonly kind?: string
}

/** `agent plugins search [words]`: what fits, in the order of the registry. */
export async function search(cli: Cli, words: readonly string[], options: SearchOptions): Promise<void> {
  await show(cli, words, options, (packages) => packages)
}

/** `agent plugins browse`: everything, what is fetched most first, or the newest where nobody counts. */
export async function browse(cli: Cli, options: SearchOptions): Promise<void> {
  const rank = ({ downloads = 0 }: FoundPackage): number => downloads
  const time = ({ date = '' }: FoundPackage): number => Date.parse(date) || 0
  await show(cli, [], options, (packages) => packages.toSorted((one, other) => rank(other) - rank(one) || time(other) - time(one)))
}

type Order = (packages: readonly FoundPackage[]) => readonly FoundPackage[]

async function show(cli: Cli, words: readonly string[], options: SearchOptions, order: Order): Promise<void> {
  const { kind, json } = options
  await withJsonErrors(cli, options, async () => {
    if (kind !== undefined) checkKind(kind)
    const [lists, registered] = await Promise.all([currentLists(cli), findPackages(cli, words)])
    const found = markCurated(order(registered), lists, words)
    const packages = kind === undefined ? found : found.filter(({ kinds }) => kinds?.includes(kind))
    if (json) cli.json({ packages })
    else print(cli, packages, kind === undefined ? 0 : found.filter(({ kinds }) => kinds === undefined).length)
  })
}

/** `silent` more might be of the kind that is wanted, and do not say so. */
function print(cli: Cli, packages: readonly FoundPackage[], silent: number): void {
  cli.out(packages.length === 0 ? 'The registry has no plugin that fits.' : formatRows(packages))
  for (const { name, misfit } of packages) if (misfit !== undefined) cli.out(`${printable(name)} ${printable(misfit)}.`)
  if (silent > 0) cli.out(silent === 1 ? '1 more does not say of which kind it is.' : `${silent} more do not say of which kind they are.`)
}

function checkKind(kind: string): void {
  const known: readonly string[] = contractKinds
  if (known.includes(kind)) return
  const nearest = nearestName(kind, known)
  const hint = nearest === undefined ? `The kinds are ${known.join(', ')}.` : `Did you mean "${nearest}"?`
  throw fail('USAGE', {
    problem: `There is no kind of plugin "${kind}". ${hint}`,
    try: `agent plugins browse --kind ${nearest ?? known[0] ?? 'KIND'}`,
  })
}

interface Column {
  readonly title: string
  text(found: FoundPackage): string
}

const columns: readonly Column[] = [
  { title: 'package', text: ({ name }) => name },
  { title: 'version', text: ({ version }) => version },
  { title: 'catalog', text: ({ catalog }) => catalog ?? '-' },
  { title: 'kind', text: ({ kinds }) => kinds?.join(', ') || '-' },
  { title: 'medal', text: ({ medal }) => medal ?? '-' },
  { title: 'fits', text: ({ fits }) => (fits === undefined ? '-' : fits ? 'yes' : 'no') },
  { title: 'fetched', text: ({ downloads }) => (downloads === undefined ? '-' : String(downloads)) },
  { title: 'about', text: ({ description }) => description },
]

/** A column that says nothing of any package is left out. */
function formatRows(packages: readonly FoundPackage[]): string {
  const shown = columns.filter(({ text }) => packages.some((found) => text(found) !== '-'))
  return formatTable([shown.map(({ title }) => title), ...packages.map((found) => shown.map(({ text }) => printable(text(found))))])
}
