import type { Clock, CompleteConnection, InputPart, Log, PlatformManifest, TurnEvent, TurnRequest } from '@agent/plugin-sdk'
import { fromWireError } from '@agent/plugin-sdk/errors'
import type { TurnEnd } from '#agent/turn.ts'
import type { AgentTurns, Recorded } from '#agent/turns.ts'
import { createCall } from '#kernel/call.ts'
import type { AnswerPart, Claim, Journal } from '#store/journal.ts'
import { fetchAttachments } from '../media/fetch-attachments.ts'
import type { MediaCache } from '../media/media-cache.ts'
import { untilWritten } from '../until-written.ts'
import { openLiveAnswer } from './live-answer.ts'
import { showWork } from './show-work.ts'

/** What the owner wants of a platform while an answer is written. */
export interface Manners {
  readonly streaming: boolean
  readonly typing: boolean
  readonly reactions: boolean
  readonly prefix: string
  /** Whether an answer refers to the message that it answers. */
  readonly refers: boolean
}

/** How others take part in a turn while it runs. */
export interface TurnControl {
  /** Fires when the turn is to end early, with what was said so far as its answer. */
  readonly signal: AbortSignal
  readonly steer?: Recorded['steer']
  /** Whoever is told what the turn does can answer its questions. */
  readonly hear?: (event: TurnEvent) => void
  /** What people are told at its end; undefined is nothing. Absent: its text. */
  readonly conclude?: (end: TurnEnd, text: string) => string | undefined
  /** Nothing is shown while it works. */
  readonly quiet?: true
}

export interface MessagingTurnOptions {
  readonly journal: Journal
  readonly turns: Pick<AgentTurns, 'runRecorded'>
  readonly spec: PlatformManifest
  /** The platform as it is connected now. */
  readonly connection: () => CompleteConnection | undefined
  readonly manners: Manners
  readonly cache: MediaCache
  /** Cuts what is said into the messages of the platform. */
  readonly parts: (claim: Claim, text: string) => Promise<readonly AnswerPart[]>
  readonly clock: Clock
  readonly log: Log
}

/** Runs the turn of a message; its steps and its answer are in the journal before anybody sees them. */
export async function runMessagingTurn(
  options: MessagingTurnOptions,
  claim: Claim,
  sessionKey: string,
  signal: AbortSignal,
  control: TurnControl = { signal },
): Promise<void> {
  const { journal, turns, parts, log, spec, connection, clock } = options
  const { message } = claim
  const manners = control.quiet ? { ...options.manners, streaming: false, typing: false } : options.manners
  const reference = { account: message.account, conversation: message.conversation.id, id: message.id }
  const work = showWork({ message: reference, spec, connection, wants: manners, clock, log }, signal)
  const live =
    manners.streaming && openLiveAnswer({ journal, claim, spec, connection, prefix: manners.prefix, refers: manners.refers, clock, log })
  const recorded: Recorded = {
    steps: claim.steps,
    steer: control.steer,
    record: (rows) => ({
      step: (step) => journal.recordStep(claim, step),
      finish: async (end) => {
        if (live) await live.stop()
        // An answer that a shutdown cut off is given back and taken up at the next start.
        if (signal.aborted) return journal.release(claim)
        const said = control.conclude ? control.conclude(end, answerText(end)) : answerText(end)
        const answer = { outbound: said === undefined ? [] : await parts(claim, said), turn: rows(end) }
        await untilWritten(options, signal, () => journal.answer(claim, answer))
        void work.end(end.error ? 'failed' : 'done')
      },
    }),
  }
  try {
    const asked = await createRequest(options, claim, sessionKey, control.signal)
    const request = { ...asked, canAnswer: canAnswer(spec, claim, control) }
    for await (const event of turns.runRecorded(request, createCall(control.signal), recorded)) {
      if (live) live.hear(event)
      control.hear?.(event)
      if (isQuestion(event)) work.pause()
      else work.resume()
      logStatus(log, spec, event)
    }
  } finally {
    if (live) await live.stop()
    await work.end()
  }
}

async function createRequest(
  { spec, connection, cache, log }: MessagingTurnOptions,
  { message, platform }: Claim,
  sessionKey: string,
  signal: AbortSignal,
): Promise<TurnRequest> {
  const { media = [], instructions } = message
  const to = media.length > 0 ? connection() : undefined
  const files = to ? await fetchAttachments({ spec, connection: to, cache, log }, media, signal) : []
  const said: readonly InputPart[] = message.text === '' && files.length > 0 ? [] : [{ type: 'text', text: message.text }]
  return {
    input: [...said, ...files],
    session: { key: sessionKey },
    source: platform,
    canAnswer: false,
    ...(instructions === undefined ? {} : { instructions }),
  }
}

const isQuestion = ({ type }: TurnEvent): boolean => type === 'approval.request' || type === 'clarify.request'

/** Programs answer nothing, and who asks for an answer elsewhere does not wait here. */
function canAnswer(spec: PlatformManifest, { message }: Claim, { hear }: TurnControl): boolean {
  return hear !== undefined && spec.gate === 'sender' && message.deliver === undefined
}

function logStatus(log: Log, { id }: PlatformManifest, event: TurnEvent): void {
  if (event.type === 'status') log.info(event.text, { platform: id })
}

function answerText(end: TurnEnd): string {
  if (!end.error) return end.text
  const sentence = fromWireError(end.error).message
  return end.text === '' ? sentence : `${end.text}\n\n${sentence}`
}
