import type { PastMessage } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { sql } from 'kysely'
import type { Past } from '../../past.ts'
import type { Queries } from '../engine/statement.ts'
import { plainText, questionWords } from './question-words.ts'
import type { TextIndex } from './text-index.ts'

/** So many messages are ranked for a question: its rarest words decide, and what stands everywhere adds nothing. */
const mostRanked = 1_500
/** To count a word reads all its places: of one that is frequent the number is kept, and need not be exact. */
const mostFrequent = 5_000

/** Reads on the read-only connection. Every statement names the owner. */
export function createPast(reader: () => Queries, index: TextIndex): Past {
  let ready: ReturnType<typeof prepareStatements> | undefined
  const statements = () => {
    ready ??= prepareStatements(reader())
    return ready
  }
  const frequent = new Map<string, number>()
  const countOf = (word: string): number => {
    const known = frequent.get(word)
    if (known !== undefined) return known
    const count = statements().count.get({ word })?.doc ?? 0
    if (count > mostRanked && frequent.size < mostFrequent) frequent.set(word, count)
    return count
  }
  return {
    async find({ owner, query, most }) {
      await index.finish()
      const { ranked, newest, one } = statements()
      const words = questionWords(query)
      const counted = words
        .map((word) => ({ word, count: countOf(word) }))
        .filter((each) => each.count > 0)
        .sort((a, b) => a.count - b.count)
      const [rarest] = counted
      if (!rarest) return []
      const seek = rarest.count > mostRanked ? newest : ranked
      for (const wish of chooseWords(counted)) {
        const found = seek.all({ query: wish, owner, most }).flatMap(({ seq }) => one.get({ seq, owner }) ?? [])
        if (found.length > 0) return found.map((row) => toPast({ ...row, text: excerpt(row.text, words) }))
      }
      return []
    },
    latest: async ({ owner, most }) =>
      statements()
        .latest.all({ owner, most })
        .map((row) => toPast({ ...row, text: shorten(row.text ?? '') })),
    async read({ owner, session, from, most }) {
      const { session: find, messages } = statements()
      const found = find.get({ owner, session })
      if (!found) throw fail('SESSION_NOT_FOUND', { session })
      return messages
        .all({ session: found.seq, from: from - 1, most })
        .map((row, at) => toPast({ ...row, session, title: found.title, number: from + at }))
    },
  }
}

/** Queries of the index, the rarest word first: the rare words, any of them. Where all are frequent, several together, then each alone. */
function chooseWords(counted: readonly { readonly word: string; readonly count: number }[]): readonly string[] {
  const words = counted.map(({ word }) => `"${word}"`)
  if (counted.every(({ count }) => count > mostRanked)) return [...new Set([words.slice(0, 4).join(' '), ...words])]
  let left = mostRanked
  const rare = words.filter((_, at) => {
    left -= counted[at]?.count ?? 0
    return left >= 0
  })
  return [rare.join(' OR ')]
}

const longestPreview = 200

function shorten(text: string): string {
  return text.length <= longestPreview ? text : `${text.slice(0, longestPreview - 1)}…`
}

const longestExcerpt = 400

/** The part of a text in which the first of the words stands. */
function excerpt(text: string, words: readonly string[]): string {
  if (text.length <= longestExcerpt) return text
  const plain = plainText(text)
  const found = words.map((word) => plain.indexOf(word)).filter((at) => at >= 0)
  const from = Math.max(0, Math.min(...found, text.length) - longestExcerpt / 4)
  // Without accents a text may be shorter than it is; then its beginning is shown.
  const start = found.length === 0 ? 0 : Math.min(from, text.length - longestExcerpt)
  const part = text.slice(start, start + longestExcerpt)
  return `${start > 0 ? '…' : ''}${part}${start + longestExcerpt < text.length ? '…' : ''}`
}

function toPast({ session, title, role, at, number, text }: PastMessage): PastMessage {
  return { session, title, role, at, number, text: text.replace(/\s+/g, ' ') }
}

function prepareStatements(queries: Queries) {
  return { ...prepareFinders(queries), ...prepareReaders(queries) }
}

function prepareFinders(queries: Queries) {
  return {
    count: queries.prepare((tables, args: { word: string }) =>
      tables.selectFrom('message_words').select('doc').where('term', '=', args.word),
    ),
    ranked: queries.prepare((tables, args: { query: string; owner: string; most: number }) =>
      tables
        .selectFrom('message_text')
        .innerJoin('messages', 'messages.seq', 'message_text.rowid')
        .innerJoin('sessions', 'sessions.seq', 'messages.session')
        .select('messages.seq')
        .where(sql<boolean>`message_text MATCH ${args.query}`)
        .where('sessions.owner', '=', args.owner)
        .orderBy('message_text.rank')
        .limit(args.most),
    ),
    // Without the rank, which would have to be counted for every message that fits.
    newest: queries.prepare((tables, args: { query: string; owner: string; most: number }) =>
      tables
        .selectFrom('message_text')
        .innerJoin('messages', 'messages.seq', 'message_text.rowid')
        .innerJoin('sessions', 'sessions.seq', 'messages.session')
        .select('messages.seq')
        .where(sql<boolean>`message_text MATCH ${args.query}`)
        .where('sessions.owner', '=', args.owner)
        .orderBy('message_text.rowid', 'desc')
        .limit(args.most),
    ),
    // The owner once more: what is read is his, whatever the index says.
    one: queries.prepare((tables, args: { seq: number; owner: string }) =>
      tables
        .selectFrom('messages')
        .innerJoin('sessions', 'sessions.seq', 'messages.session')
        .select(['sessions.id as session', 'sessions.title', 'messages.role', 'messages.at', 'messages.text'])
        .select(
          sql<number>`(SELECT count(*) FROM messages AS own WHERE own.session = messages.session AND own.seq <= messages.seq)`.as('number'),
        )
        .where('messages.seq', '=', args.seq)
        .where('sessions.owner', '=', args.owner),
    ),
  }
}

function prepareReaders(queries: Queries) {
  return {
    latest: queries.prepare((tables, args: { owner: string; most: number }) =>
      tables
        .selectFrom('sessions')
        .select(['id as session', 'title', 'last_at as at', sql<'user'>`'user'`.as('role'), sql<number>`1`.as('number')])
        .select(
          sql<string | null>`(SELECT text FROM messages WHERE messages.session = sessions.seq AND text <> '' ORDER BY seq LIMIT 1)`.as(
            'text',
          ),
        )
        .where('owner', '=', args.owner)
        .orderBy('last_at', 'desc')
        .limit(args.most),
    ),
    session: queries.prepare((tables, args: { owner: string; session: string }) =>
      tables.selectFrom('sessions').select(['seq', 'title']).where('id', '=', args.session).where('owner', '=', args.owner),
    ),
    messages: queries.prepare((tables, args: { session: number; from: number; most: number }) =>
      tables
        .selectFrom('messages')
        .select(['role', 'at', 'text'])
        .where('session', '=', args.session)
        .orderBy('seq')
        .limit(args.most)
        .offset(args.from),
    ),
  }
}
