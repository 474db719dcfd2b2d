import { setMaxListeners } from 'node:events'
import type { Call, Clock, CompleteConnection, Log, OutboundMessage, PlatformManifest, Receipt } from '@agent/plugin-sdk'
import { fail, isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import { callWithin, linkSignal } from '#kernel/call.ts'
import type { ClaimedSend, Journal, SendResult } from '#store/journal.ts'
import { createClaimer } from '../claim-some.ts'
import type { MessageHooks } from '../message-hooks.ts'
import { untilWritten } from '../until-written.ts'
import { createSendTries, type SendTries } from './send-tries.ts'

/** A platform as the outbox sees it; `connection` is absent while it is not connected. */
export interface Destination {
  readonly spec: PlatformManifest
  readonly connection: CompleteConnection | undefined
}

export interface OutboxPumpOptions {
  readonly journal: Journal
  readonly owner: string
  /** Ids of the messaging platforms that may send. */
  readonly platforms: readonly string[]
  readonly destination: (platform: string) => Destination | undefined
  readonly concurrency: number
  /** The message as it is to be sent. Absent: as it is written. */
  readonly revise?: MessageHooks['revise']
  readonly clock: Clock
  readonly log: Log
}

export interface OutboxPump {
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
export function openOutboxPump(options: OutboxPumpOptions): OutboxPump {
  const stop = new AbortController()
  // Everything in work listens to it; Node would take that for a leak.
  setMaxListeners(0, stop.signal)
  const lanes = new Map(options.platforms.map((platform) => [platform, openLane(options, platform, stop.signal)]))
  const left = new Set<Lane>()
  const wake = (): void => {
    for (const lane of lanes.values()) lane.wake()
  }
  const off = options.journal.onWork((work) => work === 'outbox' && wake())
  return {
    wake,
    follow: (platform, sends) => {
      const lane = lanes.get(platform)
      if (sends && !lane) lanes.set(platform, openLane(options, platform, stop.signal))
      if (!sends && lane) {
        lanes.delete(platform)
        left.add(lane)
        void lane.leave().finally(() => left.delete(lane))
      }
      wake()
    },
    settleRecovered: async (sends) => {
      for (const send of sends) {
        const result = await settleLost(options, send, stop.signal)
        await untilWritten(options, stop.signal, () => options.journal.settleSend(send, result))
      }
      wake()
    },
    close: async () => {
      off()
      stop.abort(fail('INTERRUPTED'))
      await Promise.all([...lanes.values(), ...left].map((lane) => lane.idle()))
    },
  }
}

interface Lane {
  wake(): void
  /** Takes up nothing more; resolves like `idle`. */
  leave(): Promise<unknown>
  /** Resolves when what is being sent has its receipt. */
  idle(): Promise<unknown>
}

/**
 * The sends of one platform. Where nobody can tell what became of a send that a crash cut off, only one is under way at a time:
 * a crash then leaves at most one unknown.
 */
function openLane(options: OutboxPumpOptions, platform: string, stop: AbortSignal): Lane {
  const most = (): number => {
    const { capabilities, limits } = options.destination(platform)?.spec ?? {}
    const isTold = capabilities?.idempotentSend || capabilities?.findSent
    return isTold ? Math.min(options.concurrency, limits?.sendsAtOnce ?? 1) : 1
  }
  const tries = createSendTries()
  let left = false
  const running = new Set<Promise<void>>()
  let claiming = false
  let again = false
  let alarm: AbortController | undefined

  const pump = async (): Promise<void> => {
    again = true
    if (claiming) return
    claiming = true
    try {
      while (again && !stop.aborted && !left) {
        again = false
        await claimAll()
      }
      await setAlarm()
    } finally {
      claiming = false
    }
  }
  const claimSome = createClaimer(() => options.journal.claimSend(options.owner, { platform }))
  const claimAll = async (): Promise<void> => {
    const concurrency = most()
    while (running.size < concurrency && !stop.aborted && !left) {
      const sends = await claimSome(concurrency - running.size)
      if (sends.length === 0) return
      for (const send of sends) start(send)
    }
  }
  const start = (send: ClaimedSend): void => {
    const work = deliver(options, send, tries, stop)
      .catch((error: unknown) => options.log.error('a receipt could not be written', { error: String(error) }))
      .finally(() => {
        running.delete(work)
        wake()
      })
    running.add(work)
  }
  /** Wakes the lane when the next waiting retry is due. */
  const setAlarm = async (): Promise<void> => {
    alarm?.abort()
    const at = await options.journal.nextSendAt(platform)
    if (at === null || stop.aborted || left) return
    const current = new AbortController()
    const unlink = linkSignal(current, stop)
    alarm = current
    const due = options.clock.sleep(Math.max(at - options.clock.now(), 1), current.signal)
    due.finally(unlink).then(wake, () => undefined)
  }
  const wake = (): void => void untilWritten(options, stop, pump).catch((error: unknown) => onUnreadable(error))
  const onUnreadable = (error: unknown): void => {
    if (!stop.aborted) options.log.error('the outbox cannot be read', { error: String(error) })
  }
  const idle = (): Promise<unknown> => Promise.allSettled(running)
  return {
    wake,
    idle,
    leave: () => {
      left = true
      alarm?.abort()
      return idle()
    },
  }
}

async function deliver(options: OutboxPumpOptions, send: ClaimedSend, tries: SendTries, signal: AbortSignal): Promise<void> {
  const result = await trySend(options, send, tries, signal)
  if (result.status !== 'retry') tries.forget(send)
  await untilWritten(options, signal, () => options.journal.settleSend(send, result))
}

async function trySend(options: OutboxPumpOptions, send: ClaimedSend, tries: SendTries, signal: AbortSignal): Promise<SendResult> {
  const later = (ms: number): SendResult => ({ status: 'retry', notBefore: options.clock.now() + ms })
  const { spec, connection } = options.destination(send.platform) ?? {}
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
    const message = await withBody((await options.revise?.(spec, send.message)) ?? send.message, spec)
    const receipt = await callWithin({ signal, deadline: sendDeadline, what: 'Sending' }, (call) => submit(send, message, connection, call))
    return await judge(receipt)
  } catch (error) {
    // Only these two say that nothing left the machine.
    if (isAgentError(error, 'PLUGIN_INACTIVE') || isAgentError(error, 'PLATFORM_UNREACHABLE')) return later(refusedDelay)
    const lost: Receipt = { status: 'unknown', error: toWireError(error) }
    return await judge(lost)
  }
}

/** The preview of an answer becomes the answer; where that is refused, the answer comes as a message of its own. */
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
async function settleLost(options: OutboxPumpOptions, send: ClaimedSend, signal: AbortSignal): Promise<SendResult> {
  const { spec } = options.destination(send.platform) ?? {}
  const { preview } = send.message
  if (spec?.capabilities.idempotentSend && !preview) return { status: 'retry', notBefore: options.clock.now() }
  const found = await askForLost(options, send, signal)
  if (found) return found
  if (found === null && !preview) return { status: 'retry', notBefore: options.clock.now() }
  return {
    // A preview is no answer: nobody is told that it may be missing, and the answer comes as a message of its own.
    status: preview ? 'refused' : 'unknown',
    error: toWireError(fail('SEND_UNKNOWN', { platform: send.platform, detail: 'the gateway stopped before the receipt came' })),
  }
}

/** What the platform says about a send whose receipt was lost: null when it certainly did not arrive, undefined when it cannot tell. */
async function askForLost(options: OutboxPumpOptions, send: ClaimedSend, signal: AbortSignal): Promise<Receipt | null | undefined> {
  const { spec, connection } = options.destination(send.platform) ?? {}
  if (!spec?.capabilities.findSent || !connection) return undefined
  const { key, conversation } = send.message
  const ask = (call: Call): Promise<Receipt | null> => connection.findSent(key, conversation, call)
  const found = await callWithin({ signal, deadline: sendDeadline, what: 'Asking' }, ask).catch((error: unknown) => {
    options.log.warn('a platform could not be asked about a lost receipt', { platform: send.platform, error: String(error) })
    return undefined
  })
  return found?.status === 'unknown' ? undefined : found
}
