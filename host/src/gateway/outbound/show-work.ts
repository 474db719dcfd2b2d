import {
  type Call,
  type Clock,
  type CompleteConnection,
  type Log,
  linkSignals,
  type MessageRef,
  type Mood,
  type PlatformManifest,
} from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { callWithin } from '#kernel/calls/call.ts'
import type { ConversationRef } from '#store/journal.ts'
import type { Patience } from '../rules/patience.ts'

export interface ShowWorkOptions {
  readonly message: MessageRef
  readonly spec: PlatformManifest
  readonly connection: () => CompleteConnection | undefined
  readonly patience: Patience
  /** What the owner switched off. */
  readonly wants: { readonly typing: boolean; readonly reactions: boolean }
  readonly clock: Clock
  readonly log: Log
}

/** Lets people see that the agent works on their message. */
export interface Work {
  /** While a person has to answer something, nobody is writing. */
  pause(): void
  resume(): void
  /** Ends in the mood that the message is left in; without one it is left as it is. */
  end(mood?: Mood): Promise<void>
}

const typingDeadline = 1500
const reactDeadline = 10_000
/** How often it is looked whether there is room for the last mark, and for how long, in milliseconds. */
const roomEveryMs = 5000
const roomWithinMs = 120_000

/** Shows typing again and again until `end`, and that it ended, and marks the message. Nothing of it can fail a turn. */
export function showWork(options: ShowWorkOptions, signal: AbortSignal): Work {
  const { spec, wants, clock, message, patience } = options
  const place = { platform: spec.id, account: message.account, conversation: message.conversation }
  const over = linkSignals(signal)
  let paused = false
  const typing = spec.capabilities.typing && wants.typing
  const reacting = spec.capabilities.react && wants.reactions
  let marked = false
  const react = async (mood: Mood): Promise<void> => {
    if (!reacting || !patience.hasRoom(place)) return
    marked = true
    patience.spend(place)
    await quietly(options, place, reactDeadline, (to, call) => to.react(message, mood, call))
  }
  /** A mark that stands there is not left as it is for want of room. */
  const finish = async (mood: Mood): Promise<void> => {
    const until = clock.now() + roomWithinMs
    while (marked && !patience.hasRoom(place) && !signal.aborted && clock.now() < until) {
      await clock.sleep(roomEveryMs, signal).catch(() => undefined)
    }
    await react(mood)
  }
  let writing = false
  const write = async (): Promise<void> => {
    if (paused || over.signal.aborted || !patience.hasRoom(place)) return
    writing ||= options.connection() !== undefined
    await quietly(options, place, typingDeadline, (to, call) => to.typing(message.conversation, call))
  }
  const endWriting = async (): Promise<void> => {
    if (!writing) return
    writing = false
    if (!spec.capabilities.endTyping || !patience.hasRoom(place)) return
    await quietly(options, place, typingDeadline, (to, call) => to.endTyping(message.conversation, call))
  }
  // Neither overtakes the other.
  let line = Promise.resolve()
  const inLine = (run: () => Promise<void>): Promise<void> => {
    line = line.then(run)
    return line
  }
  const repeat = async (): Promise<void> => {
    while (!over.signal.aborted) {
      await inLine(write)
      await clock.sleep(spec.limits.typingMs, over.signal).catch(() => undefined)
    }
  }
  const seen = react('seen')
  if (typing) void repeat()
  return {
    pause: () => {
      paused = true
      void inLine(endWriting)
    },
    resume: () => {
      paused = false
    },
    end: async (mood) => {
      over.abort('over')
      const ended = inLine(endWriting)
      // Marks come in their order.
      await seen
      if (mood) await finish(mood)
      await ended
    },
  }
}

async function quietly(
  { connection, spec, patience, clock, log }: ShowWorkOptions,
  place: ConversationRef,
  deadline: number,
  run: (to: CompleteConnection, call: Call) => Promise<void>,
): Promise<void> {
  const to = connection()
  if (!to) return
  await callWithin({ clock, deadline, what: 'Showing work' }, (call) => run(to, call)).catch((error: unknown) => {
    if (isAgentError(error) && error.retryAfterMs !== undefined) patience.ask(place, error.retryAfterMs)
    log.debug('work could not be shown', { platform: spec.id, error: String(error) })
  })
}
