import type { Log, TurnRequest } from '@agent/plugin-sdk'
import { fromWireError } from '@agent/plugin-sdk/errors'
import type { TurnEnd } from '#agent/turn.ts'
import type { AgentTurns, Recorded } from '#agent/turns.ts'
import { createCall } from '#kernel/call.ts'
import type { AnswerPart, Claim, Journal } from '#store/journal.ts'
import { untilWritten } from './until-written.ts'

export interface MessagingTurnOptions {
  readonly journal: Journal
  readonly turns: Pick<AgentTurns, 'runRecorded'>
  /** Cuts what is said into the messages of the platform. */
  readonly parts: (claim: Claim, text: string) => readonly AnswerPart[]
  readonly clock: Parameters<typeof untilWritten>[0]['clock']
  readonly log: Log
}

/** Runs the turn of a message; its steps and its answer are in the journal before anybody sees them. */
export async function runMessagingTurn(
  options: MessagingTurnOptions,
  claim: Claim,
  sessionKey: string,
  signal: AbortSignal,
): Promise<void> {
  const { journal, turns, parts, log } = options
  const request: TurnRequest = {
    input: [{ type: 'text', text: claim.message.text }],
    session: { key: sessionKey },
    source: claim.platform,
    canAnswer: false,
  }
  const recorded: Recorded = {
    steps: claim.steps,
    record: (rows) => ({
      step: (step) => journal.recordStep(claim, step),
      finish: async (end) => {
        // An answer that a shutdown cut off is given back and taken up at the next start.
        if (signal.aborted) return journal.release(claim)
        const answer = { outbound: parts(claim, answerText(end)), turn: rows(end) }
        await untilWritten(options, signal, () => journal.answer(claim, answer))
      },
    }),
  }
  for await (const event of turns.runRecorded(request, createCall(signal), recorded)) {
    if (event.type === 'status') log.info(event.text, { platform: claim.platform })
  }
}

function answerText(end: TurnEnd): string {
  if (!end.error) return end.text
  const sentence = fromWireError(end.error).message
  return end.text === '' ? sentence : `${end.text}\n\n${sentence}`
}
