import type { Usage } from '@agent/plugin-sdk'
import { type Kysely, sql } from 'kysely'
import { dayOf, type SpentOnDay, type Taken, type UsageLedger, type UsageWindow } from '../usage.ts'
import type { GroupCommit } from './engine/group-commit.ts'
import type { Queries } from './engine/statement.ts'
import type { ReservationTable, Tables, UsageTable } from './engine/tables.ts'

const tokens = ['input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const
const counts = ['calls', 'estimated', ...tokens] as const
/** No budget looks back further than the longest month. */
const keptMs = 62 * 24 * 3_600_000

export function createUsage(queries: Queries, commits: GroupCommit, now: () => number): UsageLedger {
  const add = queries.prepare((tables, row: Omit<UsageTable, never>) =>
    tables
      .insertInto('usage')
      .values({
        ...{ day: row.day, session: row.session, source: row.source, person: row.person, job: row.job },
        ...{ provider: row.provider, model: row.model, calls: row.calls, estimated: row.estimated },
        ...{ input: row.input, output: row.output, cache_read: row.cache_read, cache_write: row.cache_write, reasoning: row.reasoning },
      })
      .onConflict((conflict) =>
        conflict
          .columns(['day', 'session', 'source', 'person', 'job', 'provider', 'model'])
          .doUpdateSet(Object.fromEntries(counts.map((count) => [count, sql`usage.${sql.ref(count)} + excluded.${sql.ref(count)}`]))),
      ),
  )
  const since = queries.prepare((tables, { day }: { day: string }) =>
    tables.selectFrom('usage').selectAll().where('day', '>=', day).orderBy('day'),
  )
  const sums = queries.prepare(
    (tables, { day, source, person, job }: { day: string } & Readonly<Record<'source' | 'person' | 'job', string | null>>) =>
      summed(tables).where('day', '>=', day).where(is('source', source)).where(is('person', person)).where(is('job', job)),
  )
  const reserve = queries.prepare((tables, row: Omit<ReservationTable, 'id'>) =>
    tables
      .insertInto('reservations')
      .values({
        ...{ day: row.day, source: row.source, person: row.person, job: row.job },
        ...{ provider: row.provider, model: row.model },
        ...{ input: row.input, output: row.output },
      })
      .returning('id'),
  )
  const release = queries.prepare((tables, { id }: { id: number }) => tables.deleteFrom('reservations').where('id', '=', id))
  const forget = queries.prepare((tables, { before }: { before: string }) => tables.deleteFrom('reservations').where('day', '<', before))
  const takenIn = ({ day, source, person, job }: UsageWindow): readonly Taken[] =>
    sums
      .all({ day, source: source ?? null, person: person ?? null, job: job ?? null })
      .map((row) => ({ day: row.day, provider: row.provider, model: row.model, usage: usageOf(row) }))
  return {
    async add(spent, reservations = []) {
      if (spent.length === 0 && reservations.length === 0) return
      const day = dayOf(now())
      await commits.run(() => {
        for (const id of reservations) release.run({ id })
        for (const { usage, estimated = 0, job = '', ...rest } of spent) {
          const { cacheRead: cache_read, cacheWrite: cache_write, input, output, reasoning } = usage
          add.run({ day, job, estimated, input, output, cache_read, cache_write, reasoning, ...rest })
        }
      })
    },
    reserve: ({ job = '', ...call }, windows) =>
      commits.run(() => {
        forget.run({ before: dayOf(now() - keptMs) })
        const taken = windows.map(takenIn)
        return { id: reserve.get({ ...call, job, day: dayOf(now()) })?.id ?? 0, taken }
      }),
    release: async (id) => void (await commits.run(() => release.run({ id }))),
    since: async (day) => since.all({ day }).map(fromRow),
  }
}

/** Where nothing is named, all count. */
const is = (column: 'source' | 'person' | 'job', value: string | null) => sql<boolean>`(${value} IS NULL OR ${sql.ref(column)} = ${value})`

/** The ledger, and what is reserved. */
const summed = (tables: Kysely<Tables>) =>
  tables
    .selectFrom(
      tables
        .selectFrom('usage')
        .select(['day', 'source', 'person', 'job', 'provider', 'model', 'input', 'output', 'cache_read', 'cache_write', 'reasoning'])
        .unionAll(
          tables
            .selectFrom('reservations')
            .select(['day', 'source', 'person', 'job', 'provider', 'model', 'input', 'output'])
            .select([sql<number>`0`.as('cache_read'), sql<number>`0`.as('cache_write'), sql<number>`0`.as('reasoning')]),
        )
        .as('taken'),
    )
    .select(['day', 'provider', 'model'])
    .select(tokens.map((count) => sql<number>`sum(${sql.ref(count)})`.as(count)))
    .groupBy(['day', 'provider', 'model'])

function usageOf({
  input,
  output,
  cache_read: cacheRead,
  cache_write: cacheWrite,
  reasoning,
}: Record<(typeof tokens)[number], number>): Usage {
  return { input, output, cacheRead, cacheWrite, reasoning }
}

function fromRow(row: UsageTable): SpentOnDay {
  const { day, session, source, person, job, provider, model, calls, estimated } = row
  const rest = { day, session, source, person, provider, model, calls, usage: usageOf(row) }
  return { ...rest, ...(job === '' ? {} : { job }), ...(estimated > 0 ? { estimated } : {}) }
}
