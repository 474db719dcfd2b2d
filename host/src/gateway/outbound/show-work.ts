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
import { callWithin } from '#kernel/calls/call.ts'

export interface ShowWorkOptions {
  readonly message: MessageRef
  readonly spec: PlatformManifest
  readonly connection: () => CompleteConnection | undefined
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

/** Shows typing again and again, and marks the message, until `end`. Nothing of it can fail a turn. */
export function showWork(options: ShowWorkOptions, signal: AbortSignal): Work {
  const { spec, wants, clock, message } = options
  const over = linkSignals(signal)
  let paused = false
  const typing = spec.capabilities.typing && wants.typing
  const reacting = spec.capabilities.react && wants.reactions
  const react = async (mood: Mood): Promise<void> => {
    if (reacting) await quietly(options, reactDeadline, (to, call) => to.react(message, mood, call))
  }
  const repeat = async (): Promise<void> => {
    while (!over.signal.aborted) {
      if (!paused) await quietly(options, typingDeadline, (to, call) => to.typing(message.conversation, call))
      await clock.sleep(spec.limits.typingMs, over.signal).catch(() => undefined)
    }
  }
  const seen = react('seen')
  if (typing) void repeat()
  return {
    pause: () => {
      paused = true
    },
    resume: () => {
      paused = false
    },
    end: async (mood) => {
      over.abort('over')
      // Marks come in their order.
      await seen
      if (mood) await react(mood)
    },
  }
}

async function quietly(
  { connection, spec, clock, log }: ShowWorkOptions,
  deadline: number,
  run: (to: CompleteConnection, call: Call) => Promise<void>,
): Promise<void> {
  const to = connection()
  if (!to) return
  await callWithin({ clock, deadline, what: 'Showing work' }, (call) => run(to, call)).catch((error: unknown) =>
    log.debug('work could not be shown', { platform: spec.id, error: String(error) }),
  )
}
