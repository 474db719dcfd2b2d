import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { detailOf } from '@agent/plugin-sdk/errors'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import type { Home } from '#config/home/home.ts'
import { loadConfig } from '#config/load.ts'
import { systemClock } from '#kernel/clock.ts'
import { type KeptList, keptFileOf, readKeptLists } from '#kernel/curated/kept-lists.ts'
import { type CuratedList, type ListPlace, readList } from '#kernel/curated/read-list.ts'
import { openHomeOf } from '#rpc/home/open-home-of.ts'
import type { Cli } from '../../console/cli.ts'
import { fetchList } from './fetch-list.ts'

/** A list after it was asked for again. */
export interface RefreshedList extends KeptList {
  /** Something else is kept than before. */
  readonly changed: boolean
}

/** Asks for every list of a home again. One that does not answer, or that may not be believed, leaves what is kept as it is. */
export async function refreshLists(cli: Pick<Cli, 'environment' | 'profile' | 'signal'>): Promise<readonly RefreshedList[]> {
  const home = openHomeOf(cli, { create: false })
  const places = (await loadConfig(home, cli.environment)).config.plugins.catalogs
  const kept = readKeptLists(home.files.pluginCatalogs, places)
  return await Promise.all(places.map((place, at) => refresh(cli, home, place, kept[at]?.list)))
}

/** The lists themselves, for who only wants to obey; what is wrong with one is noted. */
export async function currentLists(cli: Pick<Cli, 'environment' | 'profile' | 'signal' | 'note'>): Promise<readonly CuratedList[]> {
  const lists = await refreshLists(cli)
  for (const { url, list, problem } of lists) {
    if (problem !== undefined) cli.note(`The catalog ${url} ${problem}${list ? `; the one of ${list.issued} holds` : ''}.`)
  }
  return lists.flatMap(({ list }) => list ?? [])
}

async function refresh(
  { signal }: Pick<Cli, 'signal'>,
  { files }: Home,
  { url, signed_by: key }: ListPlace,
  before: CuratedList | undefined,
): Promise<RefreshedList> {
  const file = keptFileOf(files.pluginCatalogs, url)
  try {
    const { body, signature } = await fetchList(url, { fetch, clock: systemClock, signal })
    const list = readList(body, signature, key)
    if (before && Date.parse(list.issued) < Date.parse(before.issued))
      throw new Error(`is older than the one of ${before.issued}, and is not taken`)
    const fetchedAt = new Date(systemClock.now()).toISOString()
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    writeFileAtomic(file, JSON.stringify({ fetchedAt, body: body.toString('base64'), signature }))
    return { url, list, fetchedAt, problem: undefined, changed: JSON.stringify(list) !== JSON.stringify(before) }
  } catch (error) {
    signal.throwIfAborted()
    return { url, list: before, fetchedAt: undefined, problem: detailOf(error), changed: false }
  }
}
