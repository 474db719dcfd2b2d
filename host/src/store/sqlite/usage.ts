import { sql } from 'kysely'
import { dayOf, type SpentOnDay, type UsageLedger } from '../usage.ts'
import type { GroupCommit } from './engine/group-commit.ts'
import type { Queries } from './engine/statement.ts'
import type { UsageTable } from './engine/tables.ts'

const counts = ['calls', 'input', 'output', 'cache_read', 'cache_write', 'reasoning'] as const

export function createUsage(queries: Queries, commits: GroupCommit, now: () => number): UsageLedger {
  const add = queries.prepare((tables, row: Omit<UsageTable, never>) =>
    tables
      .insertInto('usage')
      .values({
        ...{ day: row.day, session: row.session, source: row.source, provider: row.provider, model: row.model, calls: row.calls },
        ...{ input: row.input, output: row.output, cache_read: row.cache_read, cache_write: row.cache_write, reasoning: row.reasoning },
      })
      .onConflict((conflict) =>
        conflict
          .columns(['day', 'session', 'source', 'provider', 'model'])
          .doUpdateSet(Object.fromEntries(counts.map((count) => [count, sql`usage.${sql.ref(count)} + excluded.${sql.ref(count)}`]))),
      ),
  )
  const since = queries.prepare((tables, { day }: { day: string }) =>
    tables.selectFrom('usage').selectAll().where('day', '>=', day).orderBy('day'),
  )
  const total = queries.prepare((tables, { day }: { day: string }) =>
    tables.selectFrom('usage').select(sql<number>`coalesce(sum(input + output), 0)`.as('tokens')).where('day', '>=', day),
  )
  const totalOf = queries.prepare((tables, { day, source }: { day: string; source: string }) =>
    tables
      .selectFrom('usage')
      .select(sql<number>`coalesce(sum(input + output), 0)`.as('tokens'))
      .where('day', '>=', day)
      .where('source', '=', source),
  )
  return {
    total: async (day, source) => (source === undefined ? total.get({ day }) : totalOf.get({ day, source }))?.tokens ?? 0,
    async add(spent) {
      if (spent.length === 0) return
      const day = dayOf(now())
      await commits.run(() => {
        for (const { usage, ...rest } of spent) {
          const { cacheRead: cache_read, cacheWrite: cache_write, input, output, reasoning } = usage
          add.run({ ...rest, day, input, output, cache_read, cache_write, reasoning })
        }
      })
    },
    since: async (day) => since.all({ day }).map(fromRow),
  }
}

function fromRow({ day, session, source, provider, model, calls, ...row }: UsageTable): SpentOnDay {
  const { cache_read: cacheRead, cache_write: cacheWrite, input, output, reasoning } = row
  return { day, session, source, provider, model, calls, usage: { input, output, cacheRead, cacheWrite, reasoning } }
}
