import type { Clock, InboundMessage, Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { SlashDoor, SlashServices } from '#commands/slash.ts'
import type { Home } from '#config/home.ts'
import type { Loaded } from '#config/loaded.ts'
import type { Catalog } from '#kernel/catalog.ts'
import type { Claim } from '#store/journal.ts'
import type { Store } from '#store/store.ts'
import { openReception, type Reception } from '../authorise/reception.ts'
import type { MessageHooks } from '../message-hooks.ts'
import type { ChannelDirectory } from '../outbound/channel-directory.ts'
import type { Speech } from '../outbound/open-speech.ts'
import { answerCommand, findCommand } from './answer-command.ts'
import { type AnswerMessageOptions, answerMessage } from './answer-message.ts'
import { type AskPeople, createAskPeople } from './ask-people.ts'
import { createBotLoops } from './bot-loops.ts'
import { composeTurn } from './compose-turn.ts'
import { createChat } from './create-chat.ts'
import type { Echoes } from './echoes.ts'
import { type InboxPump, openInboxPump } from './inbox-pump.ts'
import { createInterrupt } from './interrupt-turns.ts'
import { type JoinedThreads, openJoinedThreads } from './joined-threads.ts'
import { createOverheard } from './overheard.ts'
import type { PlatformRules } from './platform-rules.ts'
import { runBackground } from './run-background.ts'
import { type ConversationOptions, runConversation } from './run-conversation.ts'
import { createRunningTurns, type RunningTurns } from './running-turns.ts'
import { isShared, sessionKey } from './session-key.ts'
import { createSessionReset } from './session-reset.ts'
import { type Arrivals, openArrivals } from './take-arrivals.ts'
import { hasAdmin, isAdmin } from './user-tiers.ts'

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
  readonly messageHooks: Pick<MessageHooks, 'guards' | 'refusal'>
  readonly directory: Pick<ChannelDirectory, 'note'>
  /** Hands an answer to the turn that asked. */
  readonly answerQuestion: (request: string, value: string) => Promise<boolean>
  readonly clock: Clock
  readonly log: Log
}

export interface Inbox extends InboxPump {
  readonly reception: Reception
  /** Told about every message that was stored. */
  readonly arrive: Arrivals['take']
  /** Told about every pressed button. */
  readonly press: AskPeople['press']
}

const concurrentTurns = 64

/** Everything between a stored message and its answer. */
export async function openInbox(options: InboxOptions): Promise<Inbox> {
  const { home, store, rules, owner, clock, log } = options
  const { journal } = store
  const threads = await openJoinedThreads(store.kv, log)
  const reception = openReception({ ...options, threads, loops: createBotLoops(clock.now) })
  const running = createRunningTurns(clock.now)
  const specOf = (platform: string) => options.catalog.find('platform', platform)?.spec
  const find = (message: InboundMessage) => findCommand(options.catalog, message)
  const people = createAskPeople({
    ...{ journal, parts: options.parts, clock, log },
    answer: options.answerQuestion,
    spec: specOf,
    isAdmin: (platform, who) => isAdmin(rules.of(platform).settings, who),
    hasAdmin: (platform, where) => hasAdmin(rules.of(platform).settings, where),
    isCommand: (message) => find(message) !== undefined,
    isKnown: reception.isKnown,
  })
  const keyOf = (platform: string, message: InboundMessage): string =>
    sessionKey({ profile: home.profile, platform, settings: rules.of(platform).settings }, message)
  const passesBy = (message: InboundMessage): boolean => {
    const found = find(message)
    return found !== undefined && !found.command.asks
  }
  let arrive: Arrivals['take'] = () => undefined
  const answering = createAnswering(options, {
    threads,
    reception,
    running,
    people,
    keyOf,
    passesBy,
    onCommand: (arrival) => arrive(arrival),
  })
  const pump = openInboxPump({
    ...{ journal, owner, clock, log },
    answer: (claim, signal) => answerMessage(answering, claim, signal),
    concurrency: concurrentTurns,
  })
  const aside: AnswerMessageOptions = {
    ...answering,
    judge: () => 'pass',
    notice: () => undefined,
    // It was to pass by, and is none of what may: it waits for its turn again.
    runTurn: (claim) => journal.release(claim),
  }
  const arrivals = openArrivals({
    ...{ journal, owner, running, people, passesBy, log },
    judge: reception.judge,
    sessionKey: keyOf,
    // A program that calls again does not mean that its first call is void.
    mode: (platform) => (specOf(platform)?.gate === 'source' ? 'queue' : rules.of(platform).settings.busy_input_mode),
    answerAside: (claim, signal) => answerMessage(aside, claim, signal),
  })
  arrive = arrivals.take
  return {
    reception,
    arrive,
    press: people.press,
    close: async () => void (await Promise.all([arrivals.close(), pump.close()])),
  }
}

interface Answering {
  readonly threads: JoinedThreads
  readonly reception: Reception
  readonly running: RunningTurns
  readonly people: AskPeople
  readonly keyOf: (platform: string, message: InboundMessage) => string
  readonly passesBy: ConversationOptions['passesBy']
  readonly onCommand: ConversationOptions['onCommand']
}

function createAnswering(
  options: InboxOptions,
  { threads, reception, running, people, keyOf, passesBy, onCommand }: Answering,
): AnswerMessageOptions {
  const { loaded, store, catalog, rules, services, parts, runTurn, clock, log } = options
  const { journal, sessions } = store
  const overheard = createOverheard()
  const reset = createSessionReset({ sessions, policy: loaded.config.session_reset, clock, log })
  const compose: ConversationOptions['compose'] = (platform, messages) => {
    const [first] = messages
    const { settings } = rules.of(platform)
    const { id, parent = '' } = first.conversation
    return composeTurn({
      messages,
      overheard: overheard.take(platform, first),
      shared: isShared(settings, first),
      isKnown: (each) => reception.isKnown(platform, each),
      channelPrompt: settings.channel_prompts[id] ?? settings.channel_prompts[parent],
    })
  }
  const conversing: ConversationOptions = {
    ...{ journal, running, people, rules, reset, compose, runTurn, passesBy, onCommand, clock, log },
    spec: (platform) => catalog.find('platform', platform)?.spec,
    belongs: ({ platform, message }, next) => {
      if (options.messageHooks.guards()) return false
      const isPlain = !next.verbatim && next.deliver === undefined && next.instructions === undefined && !findCommand(catalog, next)
      const isSame = !next.sender.isBot && next.sender.id === message.sender.id && keyOf(platform, next) === keyOf(platform, message)
      return isPlain && isSame && !people.expects(platform, next) && reception.judge(platform, next) === 'pass'
    },
  }
  const background = {
    ...{ journal, running, people, parts, runTurn, clock, log },
    notifications: loaded.config.background_process_notifications,
  }
  return {
    ...{ journal, parts, clock, log },
    judge: reception.judge,
    refusal: options.messageHooks.refusal,
    greet: reception.greet,
    notice: (platform, message, verdict) => {
      if (verdict === 'pass' || verdict === 'not-addressed') noteChannel(options, platform, message)
      if (verdict === 'pass') threads.join(platform, message)
      else if (verdict === 'not-addressed' && rules.of(platform).settings.observe_unmentioned_group_messages)
        overheard.add(platform, message)
    },
    answerAtOnce: async (claim, key, signal) => {
      const { platform, message } = claim
      const replied = await people.reply(platform, message)
      if (replied !== undefined) return { said: replied }
      const chat = createChat({ rules, running, people, services, isKnown: reception.isKnown, now: clock.now }, platform, message)
      return answerCommand(message, {
        services,
        sessionKey: key,
        chat,
        run: createRunCommand(running, claim, key, signal),
        interrupt: createInterrupt(
          { running, sessions, isAdmin: isAdmin(rules.of(platform).settings, message), log },
          platform,
          message,
          key,
        ),
      })
    },
    sessionKey: keyOf,
    runTurn: (claim, key, signal) => runConversation(conversing, claim, key, signal),
    runBackground: (claim, task, signal) => runBackground(background, claim, task, signal),
  }
}

/** What a plugin's command does is listed among what runs, so that it can be interrupted. It is never run again: nobody knows how far it came. */
function createRunCommand(running: RunningTurns, claim: Claim, key: string, stop: AbortSignal): SlashDoor['run'] {
  return async (command, work) => {
    if (claim.attempts > 1) throw fail('TOOL_OUTCOME_UNKNOWN', { tool: command })
    const turn = running.begin(claim, { sessionKey: key, background: true }, stop)
    try {
      return await work(turn.signal)
    } catch (error) {
      throw turn.signal.aborted ? fail('TOOL_OUTCOME_UNKNOWN', { tool: command }) : error
    } finally {
      turn.end()
    }
  }
}

/** Programs that call in have a conversation for each call; nobody wants to speak there. A direct message is called after its writer. */
function noteChannel({ catalog, directory }: InboxOptions, platform: string, { account, conversation, sender }: InboundMessage): void {
  if (catalog.find('platform', platform)?.spec.gate === 'source') return
  const name = conversation.name ?? (conversation.kind === 'dm' ? sender.name : undefined)
  void directory.note(platform, account, { ...conversation, ...(name === undefined ? {} : { name }) })
}
