import type { Kv } from '../kv.ts'
import type { GroupCommit } from './engine/group-commit.ts'
import type { Queries } from './engine/statement.ts'
import { formatWire, parseWire } from './engine/wire-json.ts'

export function createKv(queries: Queries, commits: GroupCommit): Kv {
  const get = queries.prepare((tables, args: { space: string; key: string }) =>
    tables.selectFrom('kv').select('value').where('space', '=', args.space).where('key', '=', args.key),
  )
  const set = queries.prepare((tables, args: { space: string; key: string; value: string }) =>
    tables
      .insertInto('kv')
      .values({ space: args.space, key: args.key, value: args.value })
      .onConflict((conflict) => conflict.columns(['space', 'key']).doUpdateSet({ value: args.value })),
  )
  const remove = queries.prepare((tables, args: { space: string; key: string }) =>
    tables.deleteFrom('kv').where('space', '=', args.space).where('key', '=', args.key),
  )
  const removeIf = queries.prepare((tables, args: { space: string; key: string; value: string }) =>
    tables.deleteFrom('kv').where('space', '=', args.space).where('key', '=', args.key).where('value', '=', args.value),
  )
  const keys = queries.prepare((tables, args: { space: string }) =>
    tables.selectFrom('kv').select('key').where('space', '=', args.space).orderBy('key'),
  )
  return {
    async get(space, key) {
      const row = get.get({ space, key })
      return row && parseWire(row.value)
    },
    async set(space, key, value) {
      const text = formatWire(value)
      await commits.run(() => set.run({ space, key, value: text }))
    },
    async delete(space, key) {
      await commits.run(() => remove.run({ space, key }))
    },
    async deleteIf(space, key, value) {
      const text = formatWire(value)
      await commits.run(() => removeIf.run({ space, key, value: text }))
    },
    keys: async (space) => keys.all({ space }).map((row) => row.key),
  }
}
