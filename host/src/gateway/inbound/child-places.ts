import type { Clock, Log } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import type { Background } from '#agent/delegation/background.ts'
import { noteOf } from '#agent/delegation/child-note.ts'
import type { ChildNote, Claim, Journal } from '#store/journal.ts'
import { untilWritten } from '#store/until-written.ts'
import type { AskPeople } from '../conversation/ask-people.ts'

export interface PlacesOptions {
  readonly journal: Pick<Journal, 'keepPlace' | 'tellChild'>
  readonly people: Pick<AskPeople, 'hear' | 'close'>
  readonly clock: Clock
  readonly log: Log
}

/** Places in conversations that are kept for what comes of child agents that work behind the turns. */
export interface PlacesOfChildren {
  /** How the turn of a message lets child agents work on. */
  behind(message: { readonly claim: Claim; readonly sessionKey: string; readonly stop: AbortSignal }): Background
  /** The sessions whose turns left child agents working, of those that were found by this key. */
  rootsOf(sessionKey: string): readonly string[]
  /** Resolves when none of them works any more. */
  settled(): Promise<void>
}

interface Kept {
  readonly platform: string
  readonly account: string
  readonly conversation: string
  readonly sessionKey: string
  readonly root: string
  readonly over: Promise<void>
  readonly end: () => void
}

export function createChildPlaces(options: PlacesOptions): PlacesOfChildren {
  const working = new Set<Kept>()
  return {
    behind: ({ claim, sessionKey, stop }) => ({
      working: () => [...working].filter((kept) => isSamePlace(kept, claim)).length,
      keep: async (child) => {
        const kept = begin(working, claim, { sessionKey, root: child.root })
        try {
          const place = await options.journal.keepPlace(claim, noteOf(child))
          return {
            signal: stop,
            hear: (event) => options.people.hear(place, event),
            tell: async (end, spawned) => {
              await tell(options, place, noteOf({ ...child, spawned }, end), stop)
              kept.end()
            },
          }
        } catch (error) {
          kept.end()
          throw error
        }
      },
    }),
    rootsOf: (key) => [...working].filter(({ sessionKey }) => sessionKey === key).map(({ root }) => root),
    settled: async () => void (await Promise.all([...working].map(({ over }) => over))),
  }
}

function begin(working: Set<Kept>, { platform, message }: Claim, about: Pick<Kept, 'sessionKey' | 'root'>): Kept {
  let finish = (): void => undefined
  const over = new Promise<void>((resolve) => (finish = resolve))
  const end = (): void => {
    working.delete(kept)
    finish()
  }
  const kept: Kept = { ...about, platform, account: message.account, conversation: message.conversation.id, over, end }
  working.add(kept)
  return kept
}

function isSamePlace({ platform, account, conversation }: Kept, claim: Claim): boolean {
  return platform === claim.platform && account === claim.message.account && conversation === claim.message.conversation.id
}

/** What cannot be written down is told as lost: the place is given back at the next start, if not now. */
async function tell({ journal, people, clock, log }: PlacesOptions, place: Claim, child: ChildNote, stop: AbortSignal): Promise<void> {
  people.close(place)
  try {
    await untilWritten({ clock, log }, stop, () => journal.tellChild(place, child))
  } catch (error) {
    log.error('what came of a child agent could not be written down', { session: child.session, error: detailOf(error) })
  }
}
