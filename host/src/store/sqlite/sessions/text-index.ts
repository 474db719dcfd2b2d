import { sql } from 'kysely'
import type { GroupCommit } from '../engine/group-commit.ts'
import type { Queries } from '../engine/statement.ts'

/** Few enough that no turn waits noticeably for them, many enough that indexing costs a third of what it does row by row. */
const batch = 128

/** Keeps what search reads: messages are indexed in batches behind the turns, never within them. */
export interface TextIndex {
  /** Tells that messages were stored; indexes when a batch is full. */
  note(messages: number): void
  /** Resolves when every stored message can be found, or when the disk does not allow it now. */
  finish(): Promise<void>
}

export function createTextIndex(queries: Queries, commits: GroupCommit, onError: (error: unknown) => void): TextIndex {
  const statements = prepareStatements(queries)
  let noted = 0

  /** Answers whether it reached the newest message. */
  const advance = (): boolean => {
    const from = Number(statements.indexed.get({})?.value ?? 0)
    const to = statements.next.get({ from })?.to ?? null
    if (to === null) return true
    statements.add.run({ from, to })
    statements.mark.run({ to: String(to) })
    return to - from < batch
  }

  return {
    note(messages) {
      noted += messages
      if (noted < batch) return
      noted = 0
      commits.run(advance).catch(onError)
    },
    async finish() {
      try {
        for (;;) if (await commits.run(advance)) return
      } catch (error) {
        // A full or locked disk must not keep anybody from finding what is indexed already.
        onError(error)
      }
    },
  }
}

function prepareStatements(queries: Queries) {
  return {
    indexed: queries.prepare((tables, _args: Record<never, never>) =>
      tables.selectFrom('meta').select('value').where('key', '=', sql.lit('indexed')),
    ),
    next: queries.prepare((_tables, args: { from: number }) =>
      _tables
        .selectFrom('messages')
        .select(sql<number | null>`max(seq)`.as('to'))
        .where(sql<boolean>`seq IN (SELECT seq FROM messages WHERE seq > ${args.from} ORDER BY seq LIMIT ${sql.lit(batch)})`),
    ),
    add: queries.prepare((tables, args: { from: number; to: number }) =>
      tables
        .insertInto('message_text')
        .columns(['rowid', 'text'])
        .expression(
          tables
            .selectFrom('messages')
            .select(['seq', 'text'])
            .where('seq', '>', args.from)
            .where('seq', '<=', args.to)
            .where('text', '<>', sql.lit('')),
        ),
    ),
    mark: queries.prepare((tables, args: { to: string }) =>
      tables.updateTable('meta').set({ value: args.to }).where('key', '=', sql.lit('indexed')),
    ),
  }
}
