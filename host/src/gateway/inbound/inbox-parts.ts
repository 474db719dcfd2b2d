import type { Clock, Log } from '@agent/plugin-sdk'
import type { PluginNotifiers } from '#agent/notifiers/plugin-notifiers.ts'
import type { AgentTurns } from '#agent/turn/turns.ts'
import type { SlashServices } from '#commands/slash.ts'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { Journal } from '#store/journal.ts'
import type { Sessions } from '#store/sessions.ts'
import type { Store } from '#store/store.ts'
import { createBotLoops } from '../authorise/bot-loops.ts'
import type { Echoes } from '../authorise/echoes.ts'
import { type JoinedThreads, openJoinedThreads } from '../authorise/joined-threads.ts'
import { openReception, type Reception } from '../authorise/reception.ts'
import { type AskPeople, createAskPeople } from '../conversation/ask-people.ts'
import { createOverheard, type Overheard } from '../conversation/overheard.ts'
import { createReasoningChoice, type ReasoningChoice } from '../conversation/reasoning-choice.ts'
import { createRunningTurns, type RunningTurns } from '../conversation/running-turns.ts'
import { createSessionReset } from '../conversation/session-reset.ts'
import type { ChannelDirectory } from '../directory/channel-directory.ts'
import type { MediaCache } from '../media/media-cache.ts'
import type { Replies } from '../outbound/replies.ts'
import type { Connections } from '../rules/connections.ts'
import type { MessageHooks } from '../rules/message-hooks.ts'
import type { Patience } from '../rules/patience.ts'
import type { PlatformRules } from '../rules/platform-rules.ts'
import { createChildPlaces, type PlacesOfChildren } from './child-places.ts'
import { createOutOfTurn, type OutOfTurn } from './out-of-turn.ts'

export interface InboxOptions {
  readonly home: Home
  readonly loaded: Loaded
  readonly catalog: Catalog
  readonly store: Store
  readonly services: SlashServices
  /** Boot id of this gateway. */
  readonly owner: string
  readonly rules: PlatformRules
  readonly patience: Patience
  readonly echoes: Echoes
  readonly messageHooks: Pick<MessageHooks, 'guards' | 'refusal' | 'revises'>
  readonly directory: Pick<ChannelDirectory, 'note'>
  readonly replies: Replies
  readonly turns: Pick<AgentTurns, 'take' | 'answer'>
  readonly notifiers: Pick<PluginNotifiers, 'announce'>
  readonly cache: MediaCache
  /** The platforms as they are connected now. */
  readonly links: Connections
  readonly clock: Clock
  readonly log: Log
}

/** What the stages work with. */
export interface InboxParts extends InboxOptions {
  readonly journal: Journal
  readonly sessions: Sessions
  /** Of what background work comes to people are told. */
  readonly notifications: () => Loaded['config']['background_process_notifications']
  readonly threads: JoinedThreads
  readonly reception: Reception
  readonly running: RunningTurns
  readonly places: PlacesOfChildren
  readonly people: AskPeople
  readonly overheard: Overheard
  readonly outOfTurn: OutOfTurn
  readonly reasoning: ReasoningChoice
  /** Ends a session that was left alone for too long. */
  readonly reset: (sessionKey: string) => Promise<void>
}

export async function openInboxParts(options: InboxOptions): Promise<InboxParts> {
  const { loaded, store, owner, clock, log } = options
  const { journal, sessions } = store
  const threads = await openJoinedThreads(store.kv, log)
  const reception = openReception({ ...options, threads, loops: createBotLoops(clock.now) })
  const people = createAskPeople({ ...options, journal, reception })
  return {
    ...options,
    ...{ journal, sessions, threads, reception, people },
    notifications: () => loaded.config.background_process_notifications,
    running: createRunningTurns(clock.now),
    places: createChildPlaces({ journal, people, clock, log }),
    overheard: createOverheard(),
    outOfTurn: createOutOfTurn(journal, owner),
    reasoning: createReasoningChoice(store.kv, loaded),
    reset: createSessionReset({ sessions, loaded, clock, log }),
  }
}
