import type { Clock, InboundMessage, Log, PlatformManifest, TurnRequest } from '@agent/plugin-sdk'
import { fail, fromWireError, isAgentError } from '@agent/plugin-sdk/errors'
import type { TurnEnd } from '#agent/turn.ts'
import type { AgentTurns, Recorded } from '#agent/turns.ts'
import { createCall } from '#kernel/call.ts'
import type { AnswerPart, Claim, Journal } from '#store/journal.ts'
import { chunkText } from './chunk.ts'
import { createClaimer } from './claim-some.ts'
import type { Verdict } from './gates.ts'
import { untilWritten } from './until-written.ts'

export interface InboxPumpOptions {
  readonly journal: Journal
  /** Boot id of this gateway. */
  readonly owner: string
  readonly turns: Pick<AgentTurns, 'runRecorded'>
  /** Manifest of a messaging platform, or undefined when it is not there any more. */
  readonly platform: (id: string) => PlatformManifest | undefined
  readonly judge: (platform: string, message: InboundMessage) => Verdict
  /** What a stranger is told; undefined where that is nothing. */
  readonly greet: (platform: string, message: InboundMessage) => Promise<string | undefined>
  readonly sessionKey: (platform: string, message: InboundMessage) => string
  /** What a slash command answers; undefined when the message is none. */
  readonly answerCommand: (message: InboundMessage, sessionKey: string) => Promise<string | undefined>
  /** Turns that may run at the same time. */
  readonly concurrency: number
  readonly clock: Clock
  readonly log: Log
}

export interface InboxPump {
  /** Stops claiming, interrupts what runs and gives unfinished messages back. */
  close(): Promise<void>
}

/** Takes accepted messages in order, one per conversation at a time, and answers each through the journal. */
export function openInboxPump(options: InboxPumpOptions): InboxPump {
  const stop = new AbortController()
  const running = new Set<Promise<void>>()
  let claiming = false
  let again = false

  const pump = async (): Promise<void> => {
    again = true
    if (claiming) return
    claiming = true
    try {
      while (again && !stop.signal.aborted) {
        again = false
        await claimAll()
      }
    } finally {
      claiming = false
    }
  }
  const claimSome = createClaimer(() => options.journal.claim(options.owner))
  const claimAll = async (): Promise<void> => {
    while (running.size < options.concurrency && !stop.signal.aborted) {
      const claims = await claimSome(options.concurrency - running.size)
      if (claims.length === 0) return
      for (const claim of claims) start(claim)
    }
  }
  const start = (claim: Claim): void => {
    const work = answerClaim(options, claim, stop.signal)
      .catch((error: unknown) => options.log.error('a message could not be settled', { platform: claim.platform, error: String(error) }))
      .finally(() => {
        running.delete(work)
        wake()
      })
    running.add(work)
  }
  const wake = (): void => void untilWritten(options, stop.signal, pump).catch((error: unknown) => onUnreadable(error))
  const onUnreadable = (error: unknown): void => {
    if (!stop.signal.aborted) options.log.error('the inbox cannot be read', { error: String(error) })
  }
  const off = options.journal.onWork((work) => work === 'inbox' && wake())
  wake()
  return {
    close: async () => {
      off()
      stop.abort(fail('INTERRUPTED'))
      await Promise.allSettled(running)
    },
  }
}

async function answerClaim(options: InboxPumpOptions, claim: Claim, signal: AbortSignal): Promise<void> {
  const { journal, log } = options
  let verdict: Verdict = 'not-allowed'
  try {
    verdict = options.judge(claim.platform, claim.message)
    if (verdict === 'pass') return await answerAllowed(options, claim, signal)
    log.info('a message was not answered', { platform: claim.platform, sender: claim.message.sender.id, verdict })
    const said = verdict === 'stranger' ? await options.greet(claim.platform, claim.message) : undefined
    const outbound = said === undefined ? [] : partsOf(options, claim, said)
    await untilWritten(options, signal, () => journal.answer(claim, { outbound, turn: null, state: 'dropped' }))
  } catch (error) {
    if (signal.aborted) return await journal.release(claim)
    if (isAgentError(error, 'CLAIM_LOST')) return log.warn(error.message)
    log.error('a message could not be answered', { platform: claim.platform, error: String(error) })
    const text = isAgentError(error) ? error.message : fail('INTERNAL', { detail: 'the turn could not run' }).message
    // What goes wrong here is nobody's business who is not let in.
    const outbound = verdict === 'pass' ? partsOf(options, claim, text) : []
    await untilWritten(options, signal, () => journal.answer(claim, { outbound, turn: null, state: 'failed' }))
  }
}

async function answerAllowed(options: InboxPumpOptions, claim: Claim, signal: AbortSignal): Promise<void> {
  const sessionKey = options.sessionKey(claim.platform, claim.message)
  const said = await options.answerCommand(claim.message, sessionKey)
  if (said === undefined) await runTurn(options, claim, sessionKey, signal)
  else await untilWritten(options, signal, () => options.journal.answer(claim, { outbound: partsOf(options, claim, said), turn: null }))
}

async function runTurn(options: InboxPumpOptions, claim: Claim, sessionKey: string, signal: AbortSignal): Promise<void> {
  const request: TurnRequest = {
    input: [{ type: 'text', text: claim.message.text }],
    session: { key: sessionKey },
    source: claim.platform,
    canAnswer: false,
  }
  const recorded: Recorded = {
    steps: claim.steps,
    record: (rows) => ({
      step: (step) => options.journal.recordStep(claim, step),
      finish: async (end) => {
        // An answer that a shutdown cut off is given back and taken up at the next start.
        if (signal.aborted) return options.journal.release(claim)
        const answer = { outbound: partsOf(options, claim, answerText(end)), turn: rows(end) }
        await untilWritten(options, signal, () => options.journal.answer(claim, answer))
      },
    }),
  }
  for await (const event of options.turns.runRecorded(request, createCall(signal), recorded)) {
    if (event.type === 'status') options.log.info(event.text, { platform: claim.platform })
  }
}

function answerText(end: TurnEnd): string {
  if (!end.error) return end.text
  const sentence = fromWireError(end.error).message
  return end.text === '' ? sentence : `${end.text}\n\n${sentence}`
}

function partsOf(options: InboxPumpOptions, claim: Claim, text: string): readonly AnswerPart[] {
  const limits = options.platform(claim.platform)?.limits ?? { maxLength: 4000, unit: 'characters' as const }
  return chunkText(text, limits).map((part) => ({ text: part, replyTo: claim.message.id }))
}
