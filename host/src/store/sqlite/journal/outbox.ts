import { sql } from 'kysely'
import { literal, type Queries } from '../engine/statement.ts'
import type { OutboxTable } from '../engine/tables.ts'

type Place = { platform: string; account: string; conversation: string }
type Held = { seq: number; owner: string; attempts: number }

const open = sql<boolean>`state IN ('pending', 'sending')`

const inConversation = (args: Place) =>
  sql<boolean>`platform = ${args.platform} AND account = ${args.account} AND conversation = ${args.conversation}`

/** Only who holds this very send may change the row. */
const isHeld = (args: Held) =>
  sql<boolean>`seq = ${args.seq} AND state = 'sending' AND owner = ${args.owner} AND attempts = ${args.attempts}`

/** The statements of the outbox. */
export function prepareOutbox(queries: Queries) {
  return {
    ...prepareAdds(queries),
    ...prepareClaims(queries),
    ...prepareSettles(queries),
    ...prepareUnknowns(queries),
    ...prepareLists(queries),
  }
}

/** A row as it is added. */
export type NewSend = Place & {
  key: string
  inbox: number
  kind: 'part' | 'preview'
  part: number
  total: number
  text: string
  reply_to: string | null
  media: string | null
  buttons: string | null
  state: 'pending' | 'sending'
  owner: string | null
  attempts: number
  tried_at: number | null
}

function prepareAdds(queries: Queries) {
  return {
    add: queries.prepare((tables, args: NewSend) =>
      tables
        .insertInto('outbox')
        .values({
          key: args.key,
          inbox: args.inbox,
          kind: args.kind,
          part: args.part,
          total: args.total,
          platform: args.platform,
          account: args.account,
          conversation: args.conversation,
          text: args.text,
          reply_to: args.reply_to,
          media: args.media,
          buttons: args.buttons,
          state: args.state,
          head: sql<number>`NOT EXISTS (SELECT 1 FROM outbox WHERE ${inConversation(args)} AND ${open})`,
          owner: args.owner,
          attempts: args.attempts,
          platform_id: null,
          error: null,
          settled_at: null,
          tried_at: args.tried_at,
          doubt: null,
        })
        .returningAll(),
    ),
    isWaiting: queries.prepare((tables, args: Place) =>
      tables.selectFrom('outbox').select('seq').where(inConversation(args)).where(open).limit(literal(1)),
    ),
    byKey: queries.prepare((tables, args: { key: string }) =>
      tables.selectFrom('outbox').select(['state', 'platform_id', 'platform', 'account', 'conversation']).where('key', '=', args.key),
    ),
    byKeys: queries.prepare((tables, args: { from: string; below: string }) =>
      tables
        .selectFrom('outbox')
        .select(['part', 'total', 'state', 'platform_id', 'error'])
        .where(sql<boolean>`key >= ${args.from} AND key < ${args.below}`),
    ),
  }
}

function prepareClaims(queries: Queries) {
  const claimWhere = (narrow: (args: Place) => ReturnType<typeof sql<boolean>>) =>
    queries.prepare((tables, args: Place & { owner: string; now: number; due: number }) =>
      tables
        .updateTable('outbox')
        .set({
          state: literal('sending'),
          owner: args.owner,
          attempts: sql<number>`attempts + 1`,
          tried_at: sql<number>`coalesce(tried_at, ${args.now})`,
        })
        .where(
          sql<boolean>`seq = (SELECT seq FROM outbox WHERE state = 'pending' AND head = 1 AND next_at <= ${args.due} AND ${narrow(args)} ORDER BY seq LIMIT 1)`,
        )
        .returningAll(),
    )
  return {
    claim: claimWhere(() => sql<boolean>`1`),
    // The plus keeps SQLite on the index of ready heads, which is short and in order.
    claimOnPlatform: claimWhere((args) => sql<boolean>`+platform = ${args.platform}`),
    claimInConversation: claimWhere((args) => sql<boolean>`${inConversation(args)} AND ${open}`),
    sending: queries.prepare((tables, _args: Record<never, never>) =>
      tables.selectFrom('outbox').select(['seq', 'owner']).where(sql<boolean>`${open} AND state = 'sending'`),
    ),
    giveBack: queries.prepare((tables, args: { seq: number }) =>
      tables
        .updateTable('outbox')
        .set({ state: literal('pending'), owner: null, doubt: literal('ask') })
        .where('seq', '=', args.seq),
    ),
  }
}

function prepareSettles(queries: Queries) {
  return {
    settle: queries.prepare((tables, args: Held & { state: string; platform_id: string | null; error: string | null; at: number }) =>
      tables
        .updateTable('outbox')
        .set({
          state: args.state as 'sent',
          platform_id: args.platform_id,
          error: args.error,
          owner: null,
          head: literal(0),
          settled_at: args.at,
        })
        .where(isHeld(args)),
    ),
    retry: queries.prepare((tables, args: Held & { next_at: number; doubt: OutboxTable['doubt'] }) =>
      tables
        .updateTable('outbox')
        .set({
          state: literal('pending'),
          owner: null,
          next_at: args.next_at,
          doubt: args.doubt,
          tried_at: sql<number | null>`CASE WHEN ${args.doubt} IS NULL THEN NULL ELSE tried_at END`,
        })
        .where(isHeld(args)),
    ),
    hasten: queries.prepare((tables, args: { latest: number; soon: number }) =>
      tables
        .updateTable('outbox')
        .set({ next_at: args.soon })
        .where(sql<boolean>`state = 'pending' AND head = 1 AND next_at > ${args.latest}`),
    ),
    promote: queries.prepare((tables, args: Place) =>
      tables
        .updateTable('outbox')
        .set({ head: literal(1) })
        .where(sql<boolean>`seq = (SELECT min(seq) FROM outbox WHERE ${inConversation(args)} AND ${open})`),
    ),
    prune: queries.prepare((tables, args: { before: number }) =>
      tables
        .deleteFrom('outbox')
        .where(
          sql<boolean>`seq IN (SELECT seq FROM outbox WHERE settled_at IS NOT NULL AND settled_at < ${args.before} AND state IN ('sent', 'failed') LIMIT 1000)`,
        ),
    ),
  }
}

/** What becomes of a send that nobody knows the fate of. */
function prepareUnknowns(queries: Queries) {
  return {
    resend: queries.prepare((tables, args: { seq: number; doubt: OutboxTable['doubt'] }) =>
      tables
        .updateTable('outbox')
        .set({
          state: literal('pending'),
          doubt: args.doubt,
          error: null,
          settled_at: null,
          next_at: literal(0),
          head: sql<number>`NOT EXISTS (SELECT 1 FROM outbox AS other WHERE other.platform = outbox.platform AND other.account = outbox.account AND other.conversation = outbox.conversation AND other.state IN ('pending', 'sending'))`,
        })
        .where('seq', '=', args.seq)
        .where(sql<boolean>`state = 'unknown'`),
    ),
    endUnknown: queries.prepare((tables, args: { seq: number; state: 'sent' | 'failed'; at: number }) =>
      tables
        .updateTable('outbox')
        .set({
          state: args.state,
          settled_at: args.at,
          error: sql<string | null>`CASE WHEN ${args.state} = 'sent' THEN NULL ELSE error END`,
        })
        .where('seq', '=', args.seq)
        .where(sql<boolean>`state = 'unknown'`),
    ),
  }
}

function prepareLists(queries: Queries) {
  return {
    nextAt: queries.prepare((tables, args: { platform: string; after: number }) =>
      tables
        .selectFrom('outbox')
        .select(sql<number | null>`min(next_at)`.as('at'))
        .where(sql<boolean>`state = 'pending' AND head = 1 AND next_at > ${args.after} AND +platform = ${args.platform}`),
    ),
    pending: queries.prepare((tables, _args: Record<never, never>) =>
      tables
        .selectFrom('outbox')
        .select(['platform', 'account', 'conversation', sql<number>`count(*)`.as('count')])
        .where(open)
        .groupBy(['platform', 'account', 'conversation']),
    ),
    unknown: queries.prepare((tables, _args: Record<never, never>) =>
      tables
        .selectFrom('outbox')
        .select(['seq', 'platform', 'account', 'conversation', 'text', 'error', 'settled_at'])
        .where(sql<boolean>`state = 'unknown'`)
        .orderBy('seq'),
    ),
    // A preview or a mark is no answer.
    failed: queries.prepare((tables, args: { limit: number }) =>
      tables
        .selectFrom('outbox')
        .select(['seq', 'platform', 'account', 'conversation', 'text', 'error', 'settled_at'])
        .where(sql<boolean>`state = 'failed' AND kind = 'part' AND key NOT LIKE 'mark:%'`)
        .orderBy('settled_at', 'desc')
        .limit(args.limit),
    ),
  }
}
