import type { Queries, Statement } from '../../engine/statement.ts'
import { cleanTitle, formatLineage, parseLineage } from './title.ts'

/** Finds the sessions of a lineage by their titles. */
export type Titles = Statement<{ name: string; from: string; to: string }, { id: string; title: string | null }>

export function prepareTitles(queries: Queries): Titles {
  return queries.prepare((tables, args: { name: string; from: string; to: string }) =>
    tables
      .selectFrom('sessions')
      .select(['id', 'title'])
      .where((eb) => eb.or([eb('title', '=', args.name), eb.and([eb('title', '>=', args.from), eb('title', '<', args.to)])])),
  )
}

/** The sessions called `name`, `name #2` and so on, newest first. */
export function findLineage(titles: Titles, name: string): readonly { readonly id: string; readonly number: number }[] {
  // `$` follows `#`: the range holds every title that begins with `name #`.
  const rows = titles.all({ name, from: `${name} #`, to: `${name} $` })
  return rows
    .map((row) => ({ id: row.id, ...parseLineage(row.title ?? '') }))
    .filter((row) => row.name === name)
    .sort((a, b) => b.number - a.number)
}

/** The title itself where it is free, else the next one of its lineage. */
export function freeTitle(titles: Titles, title: string): string {
  const clean = cleanTitle(title)
  const { name } = parseLineage(clean)
  const newest = findLineage(titles, name)[0]
  if (!newest) return clean
  return formatLineage(name, newest.number + 1)
}

/** The title itself where no other session has this very one, else the next one of its lineage. */
export function keepTitle(titles: Titles, title: string): string {
  const clean = cleanTitle(title)
  const { name, number } = parseLineage(clean)
  return findLineage(titles, name).some((each) => each.number === number) ? freeTitle(titles, clean) : clean
}
