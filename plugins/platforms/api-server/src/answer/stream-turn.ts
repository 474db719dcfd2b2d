import type { Clock, HttpReply, TurnEvent } from '@agent/plugin-sdk'
import { type AgentError, fail } from '@agent/plugin-sdk/errors'
import type { KeepAlive, Quiet } from '../door/keep-alive.ts'
import type { Slot } from '../door/slots.ts'
import { type FieldNames, nameField, turnFailureReply } from '../wire/failure.ts'
import { type ChunkWriter, failureIn, keepAliveLine, noResult } from './outbound.ts'
import { createTextPipe, type TextPipe } from './text-pipe.ts'
import { learn, type TurnAbout, turnHeaders, unknownTurn } from './turn-headers.ts'

export interface StreamParts {
  readonly events: AsyncIterable<TurnEvent>
  readonly chunks: ChunkWriter
  readonly keepAlive: KeepAlive
  readonly clock: Clock
  readonly fields: FieldNames
  readonly slot: Pick<Slot, 'unread'>
  /** Called once, when the turn is over. */
  onEnd(): void
}

/** An answer that begins with the first thing there is to say. */
interface Answer extends Quiet {
  readonly pipe: TextPipe
  about: TurnAbout
  say(text: string): void
  fail(error: AgentError): void
}

/** Resolves with the first thing to say: a turn that fails before is answered with its HTTP status, one that thinks for long starts with a sign of life. */
export function streamTurn(parts: StreamParts): Promise<HttpReply> {
  return new Promise((resolve) => {
    const answer = createAnswer(parts, resolve)
    const unwatch = parts.keepAlive.watch(answer)
    relay(parts, answer)
      .catch((error: unknown) => answer.fail(nameField(error, parts.fields)))
      .finally(() => {
        unwatch()
        answer.pipe.end()
        parts.onEnd()
      })
  })
}

function createAnswer({ chunks, clock }: StreamParts, reply: (reply: HttpReply) => void): Answer {
  const pipe = createTextPipe()
  let begun = false
  const answer: Answer = {
    pipe,
    about: unknownTurn,
    lastWrite: clock.now(),
    say(text) {
      answer.lastWrite = clock.now()
      if (!begun) {
        begun = true
        pipe.write(chunks.start)
        reply(eventStream(pipe, answer.about))
      }
      pipe.write(text)
    },
    fail(error) {
      const text = chunks.formatFailure(error)
      if (begun) answer.say(text)
      else reply(turnFailureReply(error))
    },
    sayAlive: () => answer.say(keepAliveLine),
  }
  return answer
}

async function relay({ events, chunks, slot }: StreamParts, answer: Answer): Promise<void> {
  for await (const event of events) {
    const failure = failureIn(event)
    answer.about = learn(answer.about, event)
    if (failure) answer.fail(failure)
    else if (event.type === 'message.start') {
      if (chunks.eager) answer.say('')
    } else {
      const text = chunks.format(event)
      if (text !== '') answer.say(text)
    }
    if (answer.pipe.full) {
      const readOn = slot.unread(() => answer.pipe.giveUp(fail('INTERRUPTED')))
      await answer.pipe.drained()
      readOn()
    }
    if (answer.pipe.abandoned) return
  }
  if (!chunks.ended) answer.fail(noResult())
}

const streamHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', 'x-accel-buffering': 'no' }

/** A reply that goes on as long as there is something to say. */
export const eventStream = (body: AsyncIterable<string>, about = unknownTurn): HttpReply => ({
  status: 200,
  headers: { ...streamHeaders, ...turnHeaders(about) },
  body,
})
