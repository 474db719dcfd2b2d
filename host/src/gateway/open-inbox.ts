import type { Clock, InboundMessage, Log } from '@agent/plugin-sdk'
import type { SlashServices } from '#commands/slash.ts'
import type { Home } from '#config/home.ts'
import type { Loaded } from '#config/loaded.ts'
import type { Catalog } from '#kernel/catalog.ts'
import type { Store } from '#store/store.ts'
import { answerCommand } from './answer-command.ts'
import { type AnswerMessageOptions, answerMessage } from './answer-message.ts'
import { openReception, type Reception } from './authorise/reception.ts'
import { createBotLoops } from './bot-loops.ts'
import type { ChannelDirectory } from './channel-directory.ts'
import { composeTurn } from './compose-turn.ts'
import type { Echoes } from './echoes.ts'
import { type InboxPump, openInboxPump } from './inbox-pump.ts'
import { openJoinedThreads } from './joined-threads.ts'
import type { Speech } from './open-speech.ts'
import { createOverheard } from './overheard.ts'
import type { PlatformRules } from './platform-rules.ts'
import { isShared, sessionKey } from './session-key.ts'
import { createSessionReset } from './session-reset.ts'

export interface InboxOptions extends Speech {
  readonly home: Home
  readonly loaded: Loaded
  readonly catalog: Catalog
  readonly store: Store
  readonly services: SlashServices
  /** Boot id of this gateway. */
  readonly owner: string
  readonly rules: PlatformRules
  readonly echoes: Echoes
  readonly directory: Pick<ChannelDirectory, 'note'>
  readonly clock: Clock
  readonly log: Log
}

export interface Inbox extends InboxPump {
  readonly reception: Reception
}

const concurrentTurns = 64

/** Everything between a stored message and its answer. */
export async function openInbox(options: InboxOptions): Promise<Inbox> {
  const { home, loaded, store, rules, services, owner, parts, runTurn, clock, log } = options
  const { journal } = store
  const threads = await openJoinedThreads(store.kv, log)
  const overheard = createOverheard()
  const reception = openReception({ ...options, threads, loops: createBotLoops(clock.now) })
  const reset = createSessionReset({ sessions: store.sessions, policy: loaded.config.session_reset, clock, log })
  const answering: AnswerMessageOptions = {
    journal,
    judge: reception.judge,
    greet: reception.greet,
    notice: (platform, message, verdict) => {
      if (verdict === 'pass' || verdict === 'not-addressed') noteChannel(options, platform, message)
      if (verdict === 'pass') threads.join(platform, message)
      else if (verdict === 'not-addressed' && rules.of(platform).settings.observe_unmentioned_group_messages)
        overheard.add(platform, message)
    },
    answerCommand: async (message, key) => {
      const said = await answerCommand(message, { services, sessionKey: key })
      if (said === undefined) await reset(key)
      return said
    },
    sessionKey: (platform, message) => sessionKey({ profile: home.profile, platform, settings: rules.of(platform).settings }, message),
    compose: ({ platform, message }) => {
      const { settings } = rules.of(platform)
      const { id, parent = '' } = message.conversation
      return composeTurn({
        messages: [message],
        overheard: overheard.take(platform, message),
        shared: isShared(settings, message),
        isKnown: (each) => reception.isKnown(platform, each),
        channelPrompt: settings.channel_prompts[id] ?? settings.channel_prompts[parent],
      })
    },
    runTurn,
    parts,
    clock,
    log,
  }
  const pump = openInboxPump({
    journal,
    owner,
    answer: (claim, signal) => answerMessage(answering, claim, signal),
    concurrency: concurrentTurns,
    clock,
    log,
  })
  return { ...pump, reception }
}

/** Programs that call in have a conversation for each call; nobody wants to speak there. A direct message is called after its writer. */
function noteChannel({ catalog, directory }: InboxOptions, platform: string, { account, conversation, sender }: InboundMessage): void {
  if (catalog.find('platform', platform)?.spec.gate === 'source') return
  const name = conversation.name ?? (conversation.kind === 'dm' ? sender.name : undefined)
  void directory.note(platform, account, { ...conversation, ...(name === undefined ? {} : { name }) })
}
