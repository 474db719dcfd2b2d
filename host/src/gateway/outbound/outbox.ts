import { setMaxListeners } from 'node:events'
import type { Call, Clock, CompleteConnection, Log, OutboundMessage, PlatformManifest, Receipt } from '@agent/plugin-sdk'
import { fail, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import { callWithin } from '#kernel/calls/call.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { ClaimedSend, Journal, SendResult } from '#store/journal.ts'
import { untilWritten } from '#store/until-written.ts'
import { openPump, type Pump, type WorkSource } from '../pump/pump.ts'
import type { Connections } from '../rules/connections.ts'
import type { MessageHooks } from '../rules/message-hooks.ts'

export interface OutboxOptions {
  readonly journal: Journal
  readonly owner: string
  /** Ids of the messaging platforms that may send. */
  readonly platforms: readonly string[]
  readonly catalog: Pick<Catalog, 'find'>
  readonly links: Connections
  readonly concurrency: number
  /** Give the message as it is to be sent. Absent: as it is written. */
  readonly messageHooks?: Pick<MessageHooks, 'revise'>
  readonly clock: Clock
  readonly log: Log
}

export interface Outbox {
  /** Looks for work again, for instance after a platform connected. */
  wake(): void
  /** From now on a platform sends, or sends no more; what is under way ends in its own time. */
  follow(platform: string, sends: boolean): void
  /** Sends of a crashed gateway, which may or may not have arrived. */
  settleRecovered(sends: readonly ClaimedSend[]): Promise<void>
  close(): Promise<void>
}

const sendDeadline = 30_000
/** How long a part waits when its platform is not connected, in milliseconds. */
const notConnectedDelay = 1000
const refusedDelay = 2000

/** Sends what the journal holds, in order per conversation, and writes down every receipt. */
export function openOutbox(options: OutboxOptions): Outbox {
  const { journal } = options
  const stop = new AbortController()
  // Everything in work listens to it; Node would take that for a leak.
  setMaxListeners(0, stop.signal)
  const pumps = new Map(options.platforms.map((platform) => [platform, openLane(options, platform, stop.signal)]))
  const left: Promise<void>[] = []
  const wake = (): void => {
    for (const pump of pumps.values()) pump.wake()
  }
  return {
    wake,
    follow: (platform, sends) => {
      const pump = pumps.get(platform)
      if (sends && !pump) pumps.set(platform, openLane(options, platform, stop.signal))
      if (!sends && pump) {
        pumps.delete(platform)
        left.push(pump.close())
      }
      wake()
    },
    settleRecovered: async (sends) => {
      for (const send of sends) {
        const result = await settleLost(options, send, stop.signal)
        await untilWritten(options, stop.signal, () => journal.settleSend(send, result))
      }
      wake()
    },
    close: async () => {
      stop.abort(fail('INTERRUPTED'))
      await Promise.all([...[...pumps.values()].map((pump) => pump.close()), ...left])
    },
  }
}

/**
 * The sends of one platform. Where nobody can tell what became of a send that a crash cut off, only one is under way at a time:
 * a crash then leaves at most one unknown.
 */
function openLane(options: OutboxOptions, platform: string, stop: AbortSignal): Pump {
  const { journal, owner, clock, log } = options
  const tries = createSendTries()
  const most = (): number => {
    const { capabilities, limits } = destinationOf(options, platform).spec ?? {}
    const isTold = capabilities?.idempotentSend || capabilities?.findSent
    return isTold ? Math.min(options.concurrency, limits?.sendsAtOnce ?? 1) : 1
  }
  const source: WorkSource<ClaimedSend> = {
    claim: () => journal.claimSend(owner, { platform }),
    nextAt: () => journal.nextSendAt(platform),
    onWork: (wake) => journal.onWork((work) => work === 'outbox' && wake()),
  }
  return openPump({ source, most, work: (send) => deliver(options, send, tries, stop), name: 'outbox', stop, clock, log })
}

function destinationOf({ catalog, links }: OutboxOptions, platform: string) {
  return { spec: catalog.find('platform', platform)?.spec, connection: links.get(platform)?.connection() }
}

async function deliver(options: OutboxOptions, send: ClaimedSend, tries: SendTries, signal: AbortSignal): Promise<void> {
  const result = await trySend(options, send, tries, signal)
  if (result.status !== 'retry') tries.forget(send)
  await untilWritten(options, signal, () => options.journal.settleSend(send, result))
}

async function trySend(options: OutboxOptions, send: ClaimedSend, tries: SendTries, signal: AbortSignal): Promise<SendResult> {
  const later = (ms: number): SendResult => ({ status: 'retry', notBefore: options.clock.now() + ms })
  const { spec, connection } = destinationOf(options, send.platform)
  if (!spec || !connection) return later(notConnectedDelay)
  const judge = async (given: Receipt): Promise<SendResult> => {
    const found = given.status === 'unknown' && !signal.aborted ? await askForLost(options, send, signal) : undefined
    if (found === null) return later(refusedDelay)
    const receipt = found ?? given
    const delay = tries.next(send, receipt, spec.capabilities.idempotentSend)
    if (delay !== undefined) return later(delay)
    if (receipt.status !== 'sent') {
      options.log.warn('a message was not delivered', { platform: send.platform, status: receipt.status, code: receipt.error.code })
    }
    return receipt
  }
  try {
    if (send.message.part.index > 0 && spec.limits.pauseMs > 0) await options.clock.sleep(spec.limits.pauseMs, signal)
    const message = await withBody((await options.messageHooks?.revise(spec, send.message)) ?? send.message, spec)
    const receipt = await callWithin({ clock: options.clock, signal, deadline: sendDeadline, what: 'Sending' }, (call) =>
      submit(send, message, connection, call),
    )
    return await judge(receipt)
  } catch (error) {
    // Only these two say that nothing left the machine.
    if (isAgentError(error, 'PLUGIN_INACTIVE') || isAgentError(error, 'PLATFORM_UNREACHABLE')) return later(refusedDelay)
    const lost: Receipt = { status: 'unknown', error: toWireError(error) }
    return await judge(lost)
  }
}

/** The preview of an answer becomes the answer; where that is refused, the answer comes as a separate message. */
async function submit(send: ClaimedSend, message: OutboundMessage, connection: CompleteConnection, call: Call): Promise<Receipt> {
  if (send.edits === undefined) return connection.send(message, call)
  const receipt = await connection.edit(send.edits, message, call)
  const gone = receipt.status === 'refused' && receipt.error.retryAfterMs === undefined
  return gone ? connection.send(message, call) : receipt
}

/** The parser is loaded with the first message that needs it. */
async function withBody(message: OutboundMessage, { markup }: PlatformManifest): Promise<OutboundMessage> {
  if (markup !== 'tree') return message
  const { parseMarkdown } = await import('../markup/parse-markdown.ts')
  return { ...message, body: parseMarkdown(message.text) }
}

/** What became of a send that was in flight when the gateway died: asked of the platform, repeated where that is harmless, else unknown. */
async function settleLost(options: OutboxOptions, send: ClaimedSend, signal: AbortSignal): Promise<SendResult> {
  const { spec } = destinationOf(options, send.platform)
  const { preview } = send.message
  if (spec?.capabilities.idempotentSend && !preview) return { status: 'retry', notBefore: options.clock.now() }
  const found = await askForLost(options, send, signal)
  if (found) return found
  if (found === null && !preview) return { status: 'retry', notBefore: options.clock.now() }
  return {
    // A preview is no answer: nobody is told that it may be missing, and the answer comes as a separate message.
    status: preview ? 'refused' : 'unknown',
    error: toWireError(fail('SEND_UNKNOWN', { platform: send.platform, detail: 'the gateway stopped before the receipt came' })),
  }
}

/** What the platform says about a send whose receipt was lost: null when it certainly did not arrive, undefined when it cannot tell. */
async function askForLost(options: OutboxOptions, send: ClaimedSend, signal: AbortSignal): Promise<Receipt | null | undefined> {
  const { spec, connection } = destinationOf(options, send.platform)
  if (!spec?.capabilities.findSent || !connection) return undefined
  const { key, conversation } = send.message
  const ask = (call: Call): Promise<Receipt | null> => connection.findSent(key, conversation, call)
  const found = await callWithin({ clock: options.clock, signal, deadline: sendDeadline, what: 'Asking' }, ask).catch((error: unknown) => {
    options.log.warn('a platform could not be asked about a lost receipt', { platform: send.platform, error: String(error) })
    return undefined
  })
  return found?.status === 'unknown' ? undefined : found
}

/** How often each message was handed to its platform and came back; waiting for a connection is no try. */
export interface SendTries {
  /** How long to wait before the next try, in milliseconds; undefined when there should be none. */
  next(send: Pick<ClaimedSend, 'seq'>, receipt: Receipt, repeatable: boolean): number | undefined
  forget(send: Pick<ClaimedSend, 'seq'>): void
}

const firstDelay = 2000
const longestDelay = 10_000
/** With the growing delay more than a minute of trouble; a platform knows a repetition for some minutes. */
const mostUnknown = 10
/** A platform that asks for patience gets more of it. */
const mostLimited = 50

/** A refusal with a time is tried again then; one of unknown fate only where a repetition does no harm. */
export function createSendTries(): SendTries {
  const tries = new Map<number, number>()
  return {
    next: ({ seq }, receipt, repeatable) => {
      if (receipt.status === 'sent') return undefined
      const count = (tries.get(seq) ?? 0) + 1
      tries.set(seq, count)
      const { retryAfterMs } = receipt.error
      if (receipt.status === 'refused') return retryAfterMs !== undefined && count < mostLimited ? retryAfterMs : undefined
      return repeatable && count < mostUnknown ? (retryAfterMs ?? Math.min(firstDelay * count, longestDelay)) : undefined
    },
    forget: ({ seq }) => void tries.delete(seq),
  }
}
