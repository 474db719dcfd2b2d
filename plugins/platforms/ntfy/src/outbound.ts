import type { Call, Clock, Connection, LostSend, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { createReceipts, createSendGate, sendRequest } from '@agent/plugin-sdk/http'
import { formatMark } from './mark.ts'
import type { Memory } from './memory.ts'
import { fetchCached, platform, type Request } from './server.ts'
import type { Settings } from './settings.ts'
import { isTopic, parseEvent, parseProblem } from './wire.ts'

export interface SenderOptions {
  readonly request: Request
  readonly settings: Pick<Settings, 'topic' | 'publishTopic'>
  readonly memory: Memory
  readonly clock: Clock
  /** The connection is over. */
  readonly signal: AbortSignal
}

export interface Sender {
  readonly send: NonNullable<Connection['send']>
  readonly findSent: NonNullable<Connection['findSent']>
  /** Begins nothing more; resolves when what was begun has its receipt, or `signal` fires. */
  finish(signal: AbortSignal): Promise<void>
}

/** A longer text would arrive as a file. */
const mostBytes = 4096
/** Servers keep messages for twelve hours unless they are told otherwise; after this time nothing is concluded from what is missing. */
const conclusiveMs = 3_600_000

const { notSent, refused, unknown } = createReceipts(platform)

export function createSender(options: SenderOptions): Sender {
  const gate = createSendGate(() => notSent('the connection is gone'))
  return {
    send: (message, call) => {
      if (options.signal.aborted) return Promise.reject(notSent('the connection is gone'))
      return gate.run(() => deliver(options, message, call))
    },
    findSent: (lost, call) => findSent(options, lost, call),
    finish: gate.finish,
  }
}

/** The topic on which people of a conversation read; undefined where the name cannot be one. */
function findTarget({ topic, publishTopic }: SenderOptions['settings'], conversation: string): string | undefined {
  if (conversation === topic) return publishTopic
  return isTopic(conversation) ? conversation : undefined
}

async function deliver(options: SenderOptions, message: OutboundMessage, call: Call): Promise<Receipt> {
  const { memory, clock, settings } = options
  const topic = findTarget(settings, message.conversation)
  if (topic === undefined) return refused('the receiver is no topic')
  // The server cuts white space off, and says "triggered" where nothing is left.
  if (message.text.trim() === '') return refused('there is nothing to say')
  if (Buffer.byteLength(message.text) > mostBytes) return refused(`the text is longer than ${mostBytes} bytes`)
  const mark = formatMark(memory.salt, message.key)
  await memory.begin(mark, topic, clock.now())
  const receipt = await publish(options, topic, message.text, mark, call)
  if (receipt.status === 'sent') memory.learn(topic, receipt.platformId)
  if (receipt.status !== 'unknown' || call.signal.aborted) return receipt
  // The answer was lost on its way; the message perhaps not.
  const found = await findMarked(options, topic, mark, call).catch(() => undefined)
  return found?.receipt ?? receipt
}

function publish({ request, clock }: SenderOptions, topic: string, text: string, mark: string, call: Call): Promise<Receipt> {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', Tags: mark }
  return sendRequest({
    platform,
    clock,
    call,
    request: (signal) => request(`/${topic}`, { method: 'POST', headers, body: text, signal }),
    readId: (body) => parseEvent(body)?.id,
    readProblem: (body) => ({ detail: parseProblem(body) }),
  })
}

interface Cached {
  readonly receipt: Receipt | undefined
  readonly ids: ReadonlySet<string>
}

async function findMarked({ request }: SenderOptions, topic: string, mark: string, call: Call): Promise<Cached> {
  const cached = await fetchCached(request, topic, call.signal)
  const found = cached.find(({ tags }) => tags?.includes(mark))
  return {
    receipt: found && { status: 'sent', platformId: found.id },
    ids: new Set(cached.map(({ id }) => id)),
  }
}

/** A missing message was not sent only where the server keeps messages, and still has the one that came before it. */
async function findSent(options: SenderOptions, { key, conversation }: LostSend, call: Call): Promise<Receipt | null> {
  const { settings, memory, clock } = options
  const topic = findTarget(settings, conversation)
  if (topic === undefined) return null
  const mark = formatMark(memory.salt, key)
  const { receipt, ids } = await findMarked(options, topic, mark, call)
  if (receipt) return receipt
  const attempt = memory.attempt(mark)
  const kept = attempt?.topic === topic && attempt.after !== null && ids.has(attempt.after)
  if (kept && clock.now() - attempt.at < conclusiveMs) return null
  return unknown('the server does not keep messages for long enough to tell')
}
