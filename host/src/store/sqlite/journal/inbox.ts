import { sql } from 'kysely'
import { literal, type Queries } from '../engine/statement.ts'

type Place = { platform: string; account: string; conversation: string }
type Held = { seq: number; owner: string; attempts: number }

const open = sql<boolean>`state IN ('accepted', 'claimed')`

const inConversation = (args: Place) =>
  sql<boolean>`platform = ${args.platform} AND account = ${args.account} AND conversation = ${args.conversation}`

/** Only who holds this very claim may change the row. */
const isHeld = (args: Held) =>
  sql<boolean>`seq = ${args.seq} AND state = 'claimed' AND owner = ${args.owner} AND attempts = ${args.attempts}`

/** The statements of the inbox. */
export function prepareInbox(queries: Queries) {
  return {
    ...prepareAccept(queries),
    ...prepareClaims(queries),
    ...prepareOutOfTurn(queries),
    ...prepareChildren(queries),
    ...prepareRecovery(queries),
    ...prepareSettles(queries),
    ...prepareSteps(queries),
  }
}

function prepareAccept(queries: Queries) {
  return {
    accept: queries.prepare((tables, args: Place & { message: string; body: string; at: number }) =>
      tables
        .insertInto('inbox')
        .values({
          platform: args.platform,
          account: args.account,
          message_id: args.message,
          conversation: args.conversation,
          body: args.body,
          state: literal('accepted'),
          head: sql<number>`NOT EXISTS (SELECT 1 FROM inbox WHERE ${inConversation(args)} AND ${open} AND aside = 0)`,
          owner: null,
          received_at: args.at,
          settled_at: null,
        })
        .onConflict((conflict) => conflict.columns(['platform', 'account', 'message_id']).doNothing())
        .returning('seq'),
    ),
  }
}

function prepareClaims(queries: Queries) {
  const claimWhere = (narrow: (args: Place) => ReturnType<typeof sql<boolean>>) =>
    queries.prepare((tables, args: Place & { owner: string }) =>
      tables
        .updateTable('inbox')
        .set({ state: literal('claimed'), owner: args.owner, attempts: sql<number>`attempts + 1` })
        .where(sql<boolean>`seq = (SELECT seq FROM inbox WHERE state = 'accepted' AND head = 1 AND ${narrow(args)} ORDER BY seq LIMIT 1)`)
        .returningAll(),
    )
  return {
    claim: claimWhere(() => sql<boolean>`1`),
    // The plus keeps SQLite on the index of ready heads, which is short and in order.
    claimOnPlatform: claimWhere((args) => sql<boolean>`+platform = ${args.platform}`),
    claimInConversation: claimWhere((args) => sql<boolean>`${inConversation(args)} AND ${open}`),
    isHeld: queries.prepare((tables, args: Held) => tables.selectFrom('inbox').select('aside').where(isHeld(args))),
    newest: queries.prepare((tables, _args: Record<never, never>) =>
      tables.selectFrom('inbox').select('received_at').where(sql<boolean>`seq = (SELECT max(seq) FROM inbox)`),
    ),
    release: queries.prepare((tables, args: Held) =>
      tables
        .updateTable('inbox')
        .set({ state: literal('accepted'), owner: null, aside: literal(0) })
        .where(isHeld(args))
        .returning('head'),
    ),
  }
}

/** Rows out of their turn are found by number; only a head blocks its conversation. */
function prepareOutOfTurn(queries: Queries) {
  return {
    claimOutOfTurn: queries.prepare((tables, args: { seq: number; owner: string }) =>
      tables
        .updateTable('inbox')
        .set({ state: literal('claimed'), owner: args.owner, attempts: sql<number>`attempts + 1`, aside: literal(1) })
        .where('seq', '=', args.seq)
        .where(sql<boolean>`state = 'accepted' AND head = 0`)
        .returningAll(),
    ),
    putOutOfTurn: queries.prepare((tables, args: Held) =>
      tables
        .updateTable('inbox')
        .set({ head: literal(0), aside: literal(1) })
        .where(isHeld(args)),
    ),
    waiting: queries.prepare((tables, args: Place & { limit: number }) =>
      tables
        .selectFrom('inbox')
        .select(['seq', 'body', 'received_at'])
        .where(inConversation(args))
        .where(sql<boolean>`${open} AND state = 'accepted'`)
        .orderBy('seq')
        .limit(args.limit),
    ),
    absorb: queries.prepare((tables, args: Place & { seq: number; owner: string; by: number }) =>
      tables
        .updateTable('inbox')
        .set({ state: literal('claimed'), owner: args.owner, attempts: sql<number>`attempts + 1`, aside: literal(1), absorbed_by: args.by })
        .where('seq', '=', args.seq)
        .where(inConversation(args))
        .where(sql<boolean>`state = 'accepted' AND head = 0`),
    ),
    settleAbsorbed: queries.prepare((tables, args: { by: number; state: string; at: number }) =>
      tables
        .updateTable('inbox')
        .set({ state: args.state as 'answered', owner: null, settled_at: args.at })
        .where(sql<boolean>`absorbed_by = ${args.by} AND state = 'claimed'`),
    ),
    releaseAbsorbed: queries.prepare((tables, args: { by: number }) =>
      tables
        .updateTable('inbox')
        .set({ state: literal('accepted'), owner: null, aside: literal(0), absorbed_by: null })
        .where(sql<boolean>`absorbed_by = ${args.by} AND state = 'claimed'`),
    ),
    hasHead: queries.prepare((tables, args: Place) =>
      tables.selectFrom('inbox').select('seq').where(inConversation(args)).where(sql<boolean>`${open} AND head = 1`).limit(literal(1)),
    ),
  }
}

/** Rows that stand for child agents: claimed from the beginning, and nobody's turn. */
function prepareChildren(queries: Queries) {
  return {
    keepPlace: queries.prepare((tables, args: Place & { owner: string; message: string; body: string; at: number }) =>
      tables
        .insertInto('inbox')
        .values({
          platform: args.platform,
          account: args.account,
          message_id: args.message,
          conversation: args.conversation,
          body: args.body,
          state: literal('claimed'),
          head: literal(0),
          owner: args.owner,
          attempts: literal(1),
          aside: literal(1),
          received_at: args.at,
          settled_at: null,
        })
        .onConflict((conflict) => conflict.columns(['platform', 'account', 'message_id']).doNothing())
        .returningAll(),
    ),
    tellChild: queries.prepare((tables, args: Held & { body: string }) =>
      tables
        .updateTable('inbox')
        .set({ state: literal('accepted'), owner: null, aside: literal(0), body: args.body })
        .where(isHeld(args)),
    ),
    openIn: queries.prepare((tables, args: Place) =>
      tables.selectFrom('inbox').select(['seq', 'state', 'owner']).where(inConversation(args)).where(open).orderBy('seq'),
    ),
    takeTold: queries.prepare((tables, args: { seq: number; owner: string }) =>
      tables
        .updateTable('inbox')
        .set({ state: literal('claimed'), owner: args.owner, attempts: sql<number>`attempts + 1`, aside: literal(1) })
        .where('seq', '=', args.seq)
        .returningAll(),
    ),
  }
}

function prepareRecovery(queries: Queries) {
  return {
    claimed: queries.prepare((tables, _args: Record<never, never>) =>
      tables.selectFrom('inbox').select(['seq', 'platform', 'owner', 'crashes']).where(sql<boolean>`${open} AND state = 'claimed'`),
    ),
    giveBack: queries.prepare((tables, args: { seq: number }) =>
      tables
        .updateTable('inbox')
        .set({ state: literal('accepted'), owner: null, crashes: sql<number>`crashes + 1`, aside: literal(0), absorbed_by: null })
        .where('seq', '=', args.seq)
        .returning(['head', 'platform', 'account', 'conversation']),
    ),
    takeOver: queries.prepare((tables, args: { seq: number; owner: string }) =>
      tables
        .updateTable('inbox')
        .set({ owner: args.owner, attempts: sql<number>`attempts + 1`, crashes: sql<number>`crashes + 1`, absorbed_by: null })
        .where('seq', '=', args.seq)
        .returningAll(),
    ),
  }
}

function prepareSettles(queries: Queries) {
  return {
    settle: queries.prepare((tables, args: Held & { state: string; at: number; error: string | null }) =>
      tables
        .updateTable('inbox')
        .set({ state: args.state as 'answered', owner: null, head: literal(0), settled_at: args.at, error: args.error })
        .where(isHeld(args)),
    ),
    failed: queries.prepare((tables, args: { limit: number }) =>
      tables
        .selectFrom('inbox')
        .select(['seq', 'platform', 'account', 'conversation', 'body', 'error', 'settled_at'])
        .where(sql<boolean>`error IS NOT NULL`)
        .orderBy('settled_at', 'desc')
        .limit(args.limit),
    ),
    promote: queries.prepare((tables, args: Place) =>
      tables
        .updateTable('inbox')
        .set({ head: literal(1) })
        .where(sql<boolean>`seq = (SELECT min(seq) FROM inbox WHERE ${inConversation(args)} AND ${open} AND aside = 0)`),
    ),
    pending: queries.prepare((tables, _args: Record<never, never>) =>
      tables
        .selectFrom('inbox')
        .select(['platform', 'account', 'conversation', sql<number>`count(*)`.as('count')])
        .where(open)
        .groupBy(['platform', 'account', 'conversation']),
    ),
    prune: queries.prepare((tables, args: { before: number }) =>
      tables
        .deleteFrom('inbox')
        .where(sql<boolean>`seq IN (SELECT seq FROM inbox WHERE settled_at IS NOT NULL AND settled_at < ${args.before} LIMIT 1000)`),
    ),
  }
}

function prepareSteps(queries: Queries) {
  return {
    steps: queries.prepare((tables, args: { inbox: number }) =>
      tables.selectFrom('steps').select('body').where('inbox', '=', args.inbox).orderBy('n'),
    ),
    addStep: queries.prepare((tables, args: { inbox: number; body: string }) =>
      tables.insertInto('steps').values({
        inbox: args.inbox,
        n: sql<number>`(SELECT coalesce(max(n), 0) + 1 FROM steps WHERE inbox = ${args.inbox})`,
        body: args.body,
      }),
    ),
    dropSteps: queries.prepare((tables, args: { inbox: number }) => tables.deleteFrom('steps').where('inbox', '=', args.inbox)),
  }
}
