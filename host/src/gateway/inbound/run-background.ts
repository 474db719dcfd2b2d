import type { Clock, Log } from '@agent/plugin-sdk'
import type { TurnEnd } from '#agent/turn.ts'
import type { Config } from '#config/schema.ts'
import type { Claim, Journal } from '#store/journal.ts'
import type { Speech } from '../outbound/open-speech.ts'
import { untilWritten } from '../until-written.ts'
import type { AskPeople } from './ask-people.ts'
import type { RunningTurns } from './running-turns.ts'

export interface BackgroundTask {
  readonly prompt: string
  /** Of the conversation that hears of the result. */
  readonly sessionKey: string
}

export interface BackgroundOptions extends Pick<Speech, 'parts' | 'runTurn'> {
  readonly journal: Pick<Journal, 'setAside' | 'say' | 'answer'>
  readonly running: RunningTurns
  readonly people: Pick<AskPeople, 'hear' | 'close'>
  /** Of what came of it people are told. */
  readonly notifications: Config['background_process_notifications']
  readonly clock: Clock
  readonly log: Log
}

const shownPrompt = 60
/** Work beside one conversation takes no more places from the others. */
const mostAtOnce = 4

/** Works in a session of its own while the conversation goes on. The result is the one answer of the message that asked for it. */
export async function runBackground(options: BackgroundOptions, claim: Claim, task: BackgroundTask, stop: AbortSignal): Promise<void> {
  const { journal, running, people } = options
  const sessionKey = `${task.sessionKey}:background:${claim.seq}`
  const busy = running.inConversation(claim.platform, claim.message).filter(({ background }) => background)
  if (busy.length >= mostAtOnce) {
    const outbound = await options.parts(claim, `I already work on ${busy.length} things in the background. /stop ends them.`)
    return untilWritten(options, stop, () => journal.answer(claim, { outbound, turn: null }))
  }
  await untilWritten(options, stop, () => journal.setAside(claim))
  const shown = task.prompt.length > shownPrompt ? `${task.prompt.slice(0, shownPrompt)}…` : task.prompt
  if (claim.attempts === 1) {
    const parts = await options.parts(claim, `I work on it in the background: ${shown}`)
    await untilWritten(options, stop, () => journal.say(claim, parts))
  }
  const turn = running.begin(claim, { sessionKey, background: true }, stop)
  const message = { ...claim.message, text: task.prompt }
  try {
    await options.runTurn({ ...claim, message }, sessionKey, stop, {
      signal: turn.signal,
      hear: (event) => people.hear(claim, event),
      conclude: (end, text) => (isTold(options.notifications, end) ? `Done in the background: ${shown}\n\n${text}` : undefined),
      quiet: true,
    })
  } finally {
    people.close(claim)
    turn.end()
  }
}

function isTold(notifications: BackgroundOptions['notifications'], end: TurnEnd): boolean {
  if (notifications === 'off') return false
  return notifications !== 'error' || end.error !== undefined
}
