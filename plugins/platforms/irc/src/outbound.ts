import type { Call, Clock, Connection, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { linkSignals, withTimeLimit } from '@agent/plugin-sdk'
import { type AgentError, detailOf, fail, toWireError } from '@agent/plugin-sdk/errors'
import { createPace } from '@agent/plugin-sdk/http'
import type { Client } from './client.ts'
import { foldCase, isWord, type Line, lineBytes } from './wire.ts'

export interface SenderOptions {
  readonly client: Client
  readonly clock: Clock
  readonly lineDelayMs: number
  readonly createId: () => string
}

const platform = 'IRC'
/** Lines that may go out at once. InspIRCd and the rules of RFC 1459 count a second or two for each, and cut who is ten or twenty ahead. */
const burst = 5
const receiptMs = 20_000

export interface Sender {
  readonly send: NonNullable<Connection['send']>
  /** Begins nothing more; resolves when what was begun has its receipt, or `signal` fires. */
  finish(signal: AbortSignal): Promise<void>
}

/** Sends one message after the other, so that a refusal of the server belongs to the one that waits for its receipt. */
export function createSender(options: SenderOptions): Sender {
  const pace = createPace({ clock: options.clock, delayMs: options.lineDelayMs, burst })
  let last: Promise<unknown> = Promise.resolve()
  let finishing = false
  return {
    send: (message, call) => {
      const sending = last.then(() => {
        if (finishing) throw notSent()
        return deliver(options, pace, message, call)
      })
      last = sending.catch(() => undefined)
      return sending
    },
    finish: async (signal) => {
      finishing = true
      const givenUp = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      if (!signal.aborted) await Promise.race([last, givenUp])
    },
  }
}

async function deliver(
  { client, clock, createId }: SenderOptions,
  pace: ReturnType<typeof createPace>,
  message: OutboundMessage,
  call: Call,
): Promise<Receipt> {
  const target = message.conversation
  if (!isTarget(target)) return refuse('the receiver is neither a nick nor a channel')
  const lines = splitText(message.text, roomFor(client.mask(), target))
  if (lines.length === 0) return refuse('there is nothing to say')
  using given = linkSignals(client.signal, call.signal)
  const { signal } = given
  let refusal: Receipt | undefined
  let written = 0
  const off = client.onLine((line) => {
    if (isRefusal(line, target)) refusal ??= refuse(line.params.at(-1) ?? '')
  })
  try {
    for (const line of lines) {
      await pace(signal)
      signal.throwIfAborted()
      if (refusal) break
      client.write('PRIVMSG', target, line)
      written += 1
    }
    // The question for the receipt counts as a line, too.
    await pace(signal)
    await withTimeLimit({ clock, signal, ms: receiptMs, what: 'the receipt' }, (bounded) => client.roundTrip(bounded))
    return refusal ?? { status: 'sent', platformId: createId() }
  } catch (error) {
    if (written === 0) throw notSent(error)
    return refusal ?? { status: 'unknown', error: toWireError(fail('SEND_UNKNOWN', { platform, detail: detailOf(error) })) }
  } finally {
    off()
  }
}

/** The one error that says: nothing has left, try again later. */
function notSent(cause?: unknown): AgentError {
  return fail('PLATFORM_UNREACHABLE', { platform, detail: 'the connection is gone' }, { cause })
}

function refuse(detail: string): Receipt {
  return { status: 'refused', error: toWireError(fail('SEND_REFUSED', { platform, detail })) }
}

/** `$` begins a mask that stands for everybody on a server. */
const isTarget = (name: string): boolean => isWord(name) && !/^[$@]|[,*?]/.test(name)

/** Replies about a text that name no receiver. */
const textRefusals = new Set(['411', '412', '417'])

/** Replies from 400 on refuse something; those about nicks answer our question. */
function isRefusal({ command, params: [, about = ''] }: Line, target: string): boolean {
  if (!/^[45]\d\d$/.test(command) || command.startsWith('43')) return false
  return textRefusals.has(command) || foldCase(about) === foldCase(target)
}

/** Bytes of text that fit into one line as every receiver gets it. */
function roomFor(mask: string, target: string): number {
  return lineBytes - Buffer.byteLength(`:${mask} PRIVMSG ${target} :\r\n`)
}

/** The lines of a text: cut at line breaks, then at a space or between two characters. Nothing but white space is lost. */
export function splitText(text: string, room: number): readonly string[] {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL ends a line for some servers, and 1 would begin a request to the client
  const clean = text.replace(/[\r\u0000\u0001]/g, '')
  return clean.split('\n').flatMap((line) => splitLine(line.trimEnd(), room))
}

function splitLine(text: string, room: number): readonly string[] {
  const lines: string[] = []
  let rest = text
  while (Buffer.byteLength(rest) > room) {
    const most = cutBytes(rest, room)
    const space = most.lastIndexOf(' ')
    const line = space > most.length / 2 && rest[most.length] !== ' ' ? most.slice(0, space) : most
    lines.push(line)
    rest = rest.slice(line.length).replace(/^ /, '')
  }
  return rest === '' ? lines : [...lines, rest]
}

/** As many whole characters as fit, at least one. */
function cutBytes(text: string, room: number): string {
  let end = 0
  let bytes = 0
  for (const character of text) {
    bytes += Buffer.byteLength(character)
    if (bytes > room && end > 0) break
    end += character.length
  }
  return text.slice(0, end)
}
