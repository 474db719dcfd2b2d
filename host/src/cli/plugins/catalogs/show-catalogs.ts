import { type KeptList, readKeptLists } from '#kernel/curated/kept-lists.ts'
import type { CuratedList } from '#kernel/curated/read-list.ts'
import { printable } from '#observe/printable.ts'
import { reloadGateway } from '#rpc/gateway/reload-gateway.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import type { Cli } from '../../console/cli.ts'
import { withJsonErrors } from '../../console/json-errors.ts'
import { refreshLists } from './refresh-lists.ts'

export interface CatalogsOptions {
  readonly json?: true
}

/** `agent plugins catalogs list`: what is kept, without a request. */
export async function listCatalogs(cli: Cli, options: CatalogsOptions): Promise<void> {
  await withJsonErrors(cli, options, async () => {
    const { home, loaded } = await openCatalog(cli)
    print(cli, readKeptLists(home.files.pluginCatalogs, loaded.config.plugins.catalogs), options)
  })
}

/** `agent plugins catalogs refresh`: exit code 1 when one of them could not be refreshed. */
export async function refreshCatalogs(cli: Cli, options: CatalogsOptions): Promise<void> {
  await withJsonErrors(cli, options, async () => {
    const lists = await refreshLists(cli)
    print(cli, lists, options)
    if (lists.some(({ problem }) => problem !== undefined)) cli.exit(1)
    // A running gateway lets go of what is blocked now; where none runs, the next one finds it.
    if (lists.some(({ changed }) => changed)) for (const line of await reloadGateway(cli, openHomeOf(cli))) cli.note(line)
  })
}

function print(cli: Cli, lists: readonly KeptList[], { json }: CatalogsOptions): void {
  if (json) cli.json({ catalogs: lists.map(toRow) })
  else if (lists.length === 0) cli.out('config.yaml names no catalog: plugins.catalogs.')
  else for (const one of lists) cli.out(describe(one))
}

function toRow({ url, list, problem }: KeptList): object {
  const { name = null, issued = null, entries = [], blocked = [], withdrawn = [] } = list ?? {}
  return { url, name, issued, problem: problem ?? null, entries, blocked, withdrawn }
}

function describe({ url, list, problem }: KeptList): string {
  const trouble = problem === undefined ? [] : [`  It ${printable(problem)}.`]
  return [list ? summarise(url, list) : url, ...trouble].join('\n')
}

function summarise(url: string, { name, issued, entries, blocked, withdrawn }: CuratedList): string {
  const gone = withdrawn.reduce((sum, { versions }) => sum + versions.length, 0)
  const counts = `${entries.length} plugins, ${blocked.length} blocked, ${gone} versions withdrawn`
  return `${printable(name)} of ${printable(issued)} (${url}): ${counts}`
}
