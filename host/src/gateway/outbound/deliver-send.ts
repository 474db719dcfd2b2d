import type { Call, Clock, CompleteConnection, Log, OutboundMessage, PlatformManifest, Receipt, WireError } from '@agent/plugin-sdk'
import { fail, fromWireError, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import { callWithin } from '#kernel/calls/call.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { ClaimedSend, SendResult } from '#store/journal.ts'
import type { Connections } from '../rules/connections.ts'
import type { MessageHooks } from '../rules/message-hooks.ts'
import type { Patience } from '../rules/patience.ts'
import { askForSent, isJudged, missingMark } from './send-doubt.ts'
import type { SendTries } from './send-tries.ts'

export interface DeliverOptions {
  readonly catalog: Pick<Catalog, 'find'>
  readonly links: Connections
  /** Give the message as it is to be sent. Absent: as it is written. */
  readonly messageHooks?: Pick<MessageHooks, 'revise'>
  readonly patience: Patience
  /** Header before every message. Absent: as the manifest says. */
  readonly prefixOf?: (platform: string) => string
  readonly clock: Clock
  readonly log: Log
  readonly tries: SendTries
  readonly signal: AbortSignal
}

interface Delivery extends DeliverOptions {
  readonly send: ClaimedSend
  readonly spec: PlatformManifest
  readonly connection: CompleteConnection
}

const sendMs = 30_000
/** Files get more time: the slowest line that they are sent over, in bytes a millisecond. */
const slowestUpload = 50
/** How long a part waits when its platform is not connected, in milliseconds. */
const notConnectedDelay = 1000
const notSentDelay = 2000
/** How long a platform may think about when it was heard last, and how long ago it may have been, in milliseconds. */
const hearMs = 1000
const aliveMs = 10_000

/** Sends a message, or finds out what became of it, and says what is to be written down. */
export async function deliverSend(options: DeliverOptions, send: ClaimedSend): Promise<SendResult> {
  const spec = options.catalog.find('platform', send.platform)?.spec
  const connection = options.links.get(send.platform)?.connection()
  // Where nobody can be asked, nobody is waited for.
  if (spec && send.doubt === 'ask' && !isJudged(spec, send)) return leave(options, send, spec, stopped(send))
  if (!spec || !connection) return later(options, send, notConnectedDelay)
  const delivery: Delivery = { send, spec, connection, ...options }
  const rest = options.patience.until(placeOf(send)) - options.clock.now()
  if (rest > 0) return later(options, send, rest)
  const { clock, signal } = options
  const silence = send.isMark && (await isSilent(delivery)) ? options.tries.next(send, { type: 'silent' }) : undefined
  if (silence !== undefined) return later(options, {}, silence)
  try {
    if (send.message.part.index > 0 && spec.limits.pauseMs > 0) await clock.sleep(spec.limits.pauseMs, signal)
    const message = await withBody((await options.messageHooks?.revise(spec, send.message)) ?? send.message, spec)
    return await passOn(delivery, message)
  } catch (error) {
    // Only these two say that nothing left the machine.
    if (isAgentError(error, 'PLUGIN_INACTIVE') || isAgentError(error, 'PLATFORM_UNREACHABLE')) return later(options, send, notSentDelay)
    return judge(delivery, { status: 'unknown', error: toWireError(error) }, send.doubt)
  }
}

/** A mark is said once: on a connection that may be dead already it would be lost, as what it is about. */
async function isSilent({ connection, clock, signal }: Delivery): Promise<boolean> {
  const ask = (call: Call): Promise<number> => connection.lastHeard(call)
  const heard = await callWithin({ clock, signal, deadline: hearMs, what: 'Asking' }, ask).catch(() => Number.NEGATIVE_INFINITY)
  return !(clock.now() - heard <= aliveMs)
}

/** The preview of an answer becomes the answer, which may be done twice; where that is refused, the answer comes as a separate message. */
async function passOn(delivery: Delivery, message: OutboundMessage): Promise<SendResult> {
  const { send, connection, spec } = delivery
  const { edits } = send
  if (edits !== undefined) {
    const receipt = await hand(delivery, message, (call) => connection.edit(edits, message, call))
    const gone = receipt.status === 'refused' && receipt.error.retryAfterMs === undefined && receipt.error.code !== 'PLATFORM_AUTH'
    if (!gone) return judge(delivery, receipt, send.doubt)
  }
  if (send.doubt && !spec.capabilities.idempotentSend) {
    const found = await findOut(delivery)
    if (found) return found
  }
  const separate = { ...delivery, send: withoutEdits(send) }
  try {
    return judge(separate, await hand(delivery, message, (call) => connection.send(message, call)), undefined)
  } catch (error) {
    if (isAgentError(error, 'PLUGIN_INACTIVE') || isAgentError(error, 'PLATFORM_UNREACHABLE')) throw error
    return judge(separate, { status: 'unknown', error: toWireError(error) }, undefined)
  }
}

function withoutEdits({ edits: _, ...send }: ClaimedSend): ClaimedSend {
  return send
}

function hand(delivery: Delivery, { media = [] }: OutboundMessage, run: (call: Call) => Promise<Receipt>): Promise<Receipt> {
  const { clock, signal, patience, send } = delivery
  const bytes = media.reduce((sum, { blob }) => sum + blob.bytes, 0)
  patience.spend(placeOf(send))
  return callWithin({ clock, signal, deadline: sendMs + Math.ceil(bytes / slowestUpload), what: 'Sending' }, run)
}

/** What became of an earlier attempt; undefined where it is to be sent. */
async function findOut(delivery: Delivery): Promise<SendResult | undefined> {
  const { send, spec, tries } = delivery
  const giveUp = (): SendResult | undefined => (send.doubt === 'insist' ? undefined : leave(delivery, send, spec, stopped(send)))
  if (!spec.capabilities.findSent) return giveUp()
  const fate = await askForSent(delivery, send)
  if (fate.status === 'sent' || fate.status === 'refused') return judge(delivery, fate, undefined)
  // Nobody waits for a preview: where it is not, the answer comes as a separate message.
  if (fate.status === 'gone') return send.message.preview ? { status: 'refused', error: stopped(send) } : undefined
  const delay = tries.next(send, { type: fate.status === 'notNow' ? 'unclear' : 'untold' })
  return delay === undefined ? giveUp() : later(delivery, send, delay)
}

/** A refusal with a time is tried again then; one of unknown fate where it can be found out, or a repetition does no harm. */
function judge(delivery: Delivery, receipt: Receipt, doubt: ClaimedSend['doubt']): SendResult {
  const { send, spec, tries, patience, signal } = delivery
  if (receipt.status === 'sent') return receipt
  const { retryAfterMs } = receipt.error
  if (retryAfterMs !== undefined) patience.ask(placeOf(send), retryAfterMs)
  if (receipt.status === 'refused') {
    const renewed = receipt.error.code === 'PLATFORM_AUTH' ? connectAgain(delivery, receipt.error) : undefined
    if (renewed !== undefined) return later(delivery, { doubt }, renewed)
    const delay = retryAfterMs === undefined ? undefined : tries.next(send, { type: 'limited', retryAfterMs })
    return delay === undefined ? told(delivery, send, receipt) : later(delivery, { doubt }, delay)
  }
  const unclear = { doubt: 'ask' } as const
  // Who comes after this process sees to it.
  if (signal.aborted) return later(delivery, unclear, 0)
  if (!isJudged(spec, send)) return leave(delivery, send, spec, receipt.error)
  const delay = tries.next(send, { type: send.edits === undefined ? 'unclear' : 'limited', retryAfterMs })
  return delay === undefined ? leave(delivery, send, spec, receipt.error) : later(delivery, unclear, delay)
}

/** Credentials have ended, which the next attempt to connect will tell; the answer waits meanwhile, as long as that may help. Nobody waits for a preview. */
function connectAgain({ send, links, tries }: Delivery, error: WireError): number | undefined {
  const delay = send.message.preview ? undefined : tries.next(send, { type: 'unclear' })
  if (delay !== undefined) links.get(send.platform)?.breakOff?.(error)
  return delay
}

function later(
  { clock }: Pick<DeliverOptions, 'clock'>,
  { doubt }: { readonly doubt?: ClaimedSend['doubt'] | undefined },
  ms: number,
): SendResult {
  return { status: 'retry', notBefore: clock.now() + ms, ...(doubt && { doubt }) }
}

/** Nobody can tell what became of it, and its conversation is told so. A preview is no answer: the answer comes as a separate message. */
function leave(options: DeliverOptions, send: ClaimedSend, { id, replyPrefix }: PlatformManifest, error: WireError): SendResult {
  if (send.message.preview) return told(options, send, { status: 'refused', error })
  const text = `${options.prefixOf?.(id) ?? replyPrefix}${missingMark}`
  return told(options, send, { status: 'unknown', error, mark: text })
}

function told({ log }: DeliverOptions, send: ClaimedSend, result: Exclude<SendResult, { status: 'sent' | 'retry' }>): SendResult {
  const { platform, conversation } = placeOf(send)
  log.warn('a message was not delivered', { platform, conversation, status: result.status, error: fromWireError(result.error).message })
  return result
}

function stopped({ platform }: ClaimedSend): WireError {
  return toWireError(fail('SEND_UNKNOWN', { platform, detail: 'its receipt was lost' }))
}

function placeOf({ platform, message: { account, conversation } }: ClaimedSend) {
  return { platform, account, conversation }
}

/** The parser is loaded with the first message that needs it. */
async function withBody(message: OutboundMessage, { markup }: PlatformManifest): Promise<OutboundMessage> {
  if (markup !== 'tree' || message.preview) return message
  const { parseMarkdown } = await import('../markup/parse-markdown.ts')
  return { ...message, body: await parseMarkdown(message.text) }
}
