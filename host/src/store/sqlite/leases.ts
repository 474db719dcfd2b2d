import { sql } from 'kysely'
import type { Leases } from '../leases.ts'
import type { GroupCommit } from './engine/group-commit.ts'
import type { Queries } from './engine/statement.ts'

export interface LeaseParts {
  readonly leases: Leases
  /** Owners that hold a lease under their own name now. */
  readonly liveOwners: () => ReadonlySet<string>
}

export function createLeases(queries: Queries, commits: GroupCommit, now: () => number): LeaseParts {
  const hold = queries.prepare((tables, args: { name: string; owner: string; expires: number }) =>
    tables
      .insertInto('leases')
      .values({ name: args.name, owner: args.owner, expires_at: args.expires })
      .onConflict((conflict) =>
        conflict
          .column('name')
          .doUpdateSet({ owner: args.owner, expires_at: args.expires })
          .where(sql<boolean>`leases.owner = ${args.owner}`),
      ),
  )
  const release = queries.prepare((tables, args: { name: string; owner: string }) =>
    tables.deleteFrom('leases').where('name', '=', args.name).where('owner', '=', args.owner),
  )
  const forget = queries.prepare((tables, args: { now: number }) => tables.deleteFrom('leases').where('expires_at', '<=', args.now))
  const holder = queries.prepare((tables, args: { name: string; now: number }) =>
    tables.selectFrom('leases').select('owner').where('name', '=', args.name).where('expires_at', '>', args.now),
  )
  const live = queries.prepare((tables, args: { now: number }) =>
    tables.selectFrom('leases').select('owner').whereRef('name', '=', 'owner').where('expires_at', '>', args.now),
  )
  return {
    leases: {
      hold: (name, owner, forMs) =>
        commits.run(() => {
          const time = now()
          forget.run({ now: time })
          return hold.run({ name, owner, expires: time + forMs }) === 1
        }),
      async release(name, owner) {
        await commits.run(() => release.run({ name, owner }))
      },
      holder: async (name) => holder.get({ name, now: now() })?.owner,
    },
    liveOwners: () => new Set(live.all({ now: now() }).map((row) => row.owner)),
  }
}
