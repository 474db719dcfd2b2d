import type { Clock, InboundMessage, Log } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { AnswerPart, Claim, Journal } from '#store/journal.ts'
import { untilWritten } from '../until-written.ts'
import type { CommandOutcome } from './answer-command.ts'
import type { Verdict } from './gates.ts'
import type { BackgroundTask } from './run-background.ts'

export interface AnswerMessageOptions {
  readonly journal: Journal
  readonly judge: (platform: string, message: InboundMessage) => Verdict
  /** What a stranger is told; undefined where that is nothing. */
  readonly greet: (platform: string, message: InboundMessage) => Promise<string | undefined>
  /** What a hook has against a message of somebody who is let in. */
  readonly refusal: (platform: string, message: InboundMessage) => Promise<string | undefined>
  /** Remembers what a verdict means for messages to come. */
  readonly notice: (platform: string, message: InboundMessage, verdict: Verdict) => void
  readonly sessionKey: (platform: string, message: InboundMessage) => string
  /** What needs no turn: a slash command, or the answer to a question of a running turn. Undefined when the message is none. */
  readonly answerAtOnce: (claim: Claim, sessionKey: string, signal: AbortSignal) => Promise<CommandOutcome | undefined>
  /** Works on something beside the conversation of the message, which is answered with the result. */
  readonly runBackground: (claim: Claim, task: BackgroundTask, signal: AbortSignal) => Promise<void>
  /** Lets the agent answer. */
  readonly runTurn: (claim: Claim, sessionKey: string, signal: AbortSignal) => Promise<void>
  /** Cuts what is said into the messages of the platform. */
  readonly parts: (claim: Claim, text: string) => Promise<readonly AnswerPart[]>
  readonly clock: Clock
  readonly log: Log
}

/** Gives a claimed message its one answer: by the gates, by a slash command or by a turn. */
export async function answerMessage(options: AnswerMessageOptions, claim: Claim, signal: AbortSignal): Promise<void> {
  const { journal, log, parts } = options
  let verdict: Verdict = 'not-allowed'
  try {
    verdict = options.judge(claim.platform, claim.message)
    options.notice(claim.platform, claim.message, verdict)
    const refusal = verdict === 'pass' ? await options.refusal(claim.platform, claim.message) : undefined
    if (verdict === 'pass' && refusal === undefined) return await answerAllowed(options, claim, signal)
    log.info('a message was not answered', { platform: claim.platform, sender: claim.message.sender.id, verdict: refusal ?? verdict })
    const said = verdict === 'stranger' ? await options.greet(claim.platform, claim.message) : refusal
    const outbound = said === undefined ? [] : await parts(claim, said)
    await untilWritten(options, signal, () => journal.answer(claim, { outbound, turn: null, state: 'dropped' }))
  } catch (error) {
    if (signal.aborted) return await journal.release(claim)
    if (isAgentError(error, 'CLAIM_LOST')) return log.warn(error.message)
    log.error('a message could not be answered', { platform: claim.platform, error: String(error) })
    const text = isAgentError(error) ? error.message : fail('INTERNAL', { detail: 'the turn could not run' }).message
    // What goes wrong here is nobody's business who is not let in.
    const outbound = verdict === 'pass' ? await parts(claim, text) : []
    await untilWritten(options, signal, () => journal.answer(claim, { outbound, turn: null, state: 'failed' }))
  }
}

async function answerAllowed(options: AnswerMessageOptions, claim: Claim, signal: AbortSignal): Promise<void> {
  const { journal, parts } = options
  const sessionKey = options.sessionKey(claim.platform, claim.message)
  const { verbatim, text } = claim.message
  const outcome: CommandOutcome | undefined = verbatim ? { said: text } : await options.answerAtOnce(claim, sessionKey, signal)
  if (outcome === undefined) await options.runTurn(claim, sessionKey, signal)
  else if (outcome.asked !== undefined)
    await options.runTurn({ ...claim, message: { ...claim.message, text: outcome.asked } }, sessionKey, signal)
  else if (outcome.background !== undefined) await options.runBackground(claim, { prompt: outcome.background, sessionKey }, signal)
  else {
    const outbound = outcome.said === '' ? [] : await parts(claim, outcome.said)
    await untilWritten(options, signal, () => journal.answer(claim, { outbound, turn: null }))
  }
}
