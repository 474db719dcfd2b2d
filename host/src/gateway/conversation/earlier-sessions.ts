import { fail } from '@agent/plugin-sdk/errors'
import { nameSession } from '#commands/session-commands.ts'
import type { EarlierSessions } from '#commands/slash.ts'
import type { SessionSummary, Sessions } from '#store/sessions.ts'

/** So many of the latest are looked through. */
const most = 500

interface EarlierOptions {
  readonly services: { readonly sessions: Pick<Sessions, 'list' | 'reopen'> }
  readonly sessionKey: string
  readonly owner: string
  readonly isBusy: () => boolean
}

/** The sessions of a conversation: those under its key whose memory is of its owner, and no other. */
export function openEarlier({ services: { sessions }, sessionKey: key, owner, isBusy }: EarlierOptions): EarlierSessions {
  const of = { key, owner }
  return {
    list: (limit) => sessions.list({ limit, of }),
    async goOn(reference) {
      const found = findOne(await sessions.list({ limit: most, of }), reference)
      if (!found) throw fail('SESSION_NOT_FOUND', { session: reference })
      // What is answered now belongs to the session that would be left.
      if (isBusy()) return 'Something is still being answered here: wait for it, or say /stop first.'
      if (!(await sessions.reopen(found.id, of))) throw fail('SESSION_NOT_FOUND', { session: reference })
      return `This conversation goes on with ${nameSession(found)}.`
    },
  }
}

/** By id, by title, or by the beginning of an id that no other has. */
function findOne(sessions: readonly SessionSummary[], reference: string): SessionSummary | undefined {
  const wanted = reference.trim().toLowerCase()
  const exact = sessions.find(({ id, title }) => id.toLowerCase() === wanted || title?.toLowerCase() === wanted)
  const [only, ...others] = sessions.filter(({ id }) => id.toLowerCase().startsWith(wanted))
  return exact ?? (others.length === 0 ? only : undefined)
}
