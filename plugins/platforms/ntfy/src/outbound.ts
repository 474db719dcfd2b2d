import type { Call, Clock, Connection, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { type AgentError, fail, toWireError } from '@agent/plugin-sdk/errors'
import { formatMark } from './mark.ts'
import type { Memory } from './memory.ts'
import { describeError, fetchCached, parseRetryAfter, platform, type Request, readProblem } from './server.ts'
import type { Settings } from './settings.ts'
import { isTopic, parseEvent } from './wire.ts'

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

export function createSender(options: SenderOptions): Sender {
  const running = new Set<Promise<unknown>>()
  let finishing = false
  return {
    send: async (message, call) => {
      if (finishing || options.signal.aborted) throw notSent('the connection is gone')
      const sending = deliver(options, message, call)
      const settled = sending.catch(() => undefined)
      running.add(settled)
      void settled.then(() => running.delete(settled))
      return await sending
    },
    findSent: (key, conversation, call) => findSent(options, key, conversation, call),
    finish: async (signal) => {
      finishing = true
      const givenUp = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      if (!signal.aborted) await Promise.race([Promise.all(running), givenUp])
    },
  }
}

/** Nothing has left, try again later. */
const notSent = (detail: string, cause?: unknown): AgentError => fail('PLATFORM_UNREACHABLE', { platform, detail }, { cause })

const refuse = (detail: string): Receipt => ({ status: 'refused', error: toWireError(fail('SEND_REFUSED', { platform, detail })) })

const unknown = (detail: string): Receipt => ({ status: 'unknown', error: toWireError(fail('SEND_UNKNOWN', { platform, detail })) })

/** The topic on which people of a conversation read; undefined where the name cannot be one. */
function findTarget({ topic, publishTopic }: SenderOptions['settings'], conversation: string): string | undefined {
  if (conversation === topic) return publishTopic
  return isTopic(conversation) ? conversation : undefined
}

async function deliver(options: SenderOptions, message: OutboundMessage, call: Call): Promise<Receipt> {
  const { memory, clock, settings } = options
  const topic = findTarget(settings, message.conversation)
  if (topic === undefined) return refuse('the receiver is no topic')
  // The server cuts white space off, and says "triggered" where nothing is left.
  if (message.text.trim() === '') return refuse('there is nothing to say')
  if (Buffer.byteLength(message.text) > mostBytes) return refuse(`the text is longer than ${mostBytes} bytes`)
  const mark = formatMark(memory.salt, message.key)
  await memory.begin(mark, topic, clock.now())
  const receipt = await publish(options, topic, message.text, mark, call)
  if (receipt.status === 'sent') memory.learn(topic, receipt.platformId)
  if (receipt.status !== 'unknown' || call.signal.aborted) return receipt
  // The answer was lost on its way; the message perhaps not.
  const found = await findMarked(options, topic, mark, call).catch(() => undefined)
  return found?.receipt ?? receipt
}

/** Failures that happen before the first byte is out. */
const beforeSending =
  /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_CERT_ALTNAME_INVALID|CERT_.*|.*_CERT(IFICATE)?(_.*)?)$/

async function publish({ request, clock }: SenderOptions, topic: string, text: string, mark: string, call: Call): Promise<Receipt> {
  if (call.signal.aborted) throw notSent('it was given up before it began')
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', Tags: mark }
  try {
    const response = await request(`/${topic}`, { method: 'POST', headers, body: text, signal: call.signal })
    return await judge(response, clock.now())
  } catch (error) {
    const { detail, code } = describeError(error)
    if (beforeSending.test(code)) throw notSent(detail, error)
    return unknown(detail)
  }
}

async function judge(response: Response, now: number): Promise<Receipt> {
  const { status } = response
  if (response.ok) {
    const event = parseEvent(await response.text())
    return event ? { status: 'sent', platformId: event.id } : unknown('its answer cannot be read')
  }
  const detail = await readProblem(response)
  if (status >= 500) return unknown(detail)
  if (status !== 429) return refuse(detail)
  const limited = fail('SEND_REFUSED', { platform, detail }, { retryAfterMs: parseRetryAfter(response, now) })
  return { status: 'refused', error: toWireError(limited) }
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
async function findSent(options: SenderOptions, key: string, conversation: string, call: Call): Promise<Receipt | null> {
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
