import type { Clock, CompleteConnection, Log, OutboundMessage, PlatformManifest, Receipt, TurnEvent } from '@agent/plugin-sdk'
import { isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import { callWithin } from '#kernel/calls/call.ts'
import type { Claim, ClaimedSend, ConversationRef, Journal, SendResult } from '#store/journal.ts'
import { chunkText } from '../markup/chunk.ts'
import type { Patience } from '../rules/patience.ts'

export interface LiveAnswerOptions {
  readonly journal: Pick<Journal, 'startPreview' | 'settleSend'>
  readonly claim: Claim
  readonly spec: PlatformManifest
  /** The platform as it is connected now. */
  readonly connection: () => CompleteConnection | undefined
  readonly patience: Patience
  readonly prefix: string
  /** Whether an answer refers to the message that it answers. */
  readonly refers: boolean
  readonly clock: Clock
  readonly log: Log
}

/** A message on the platform that grows while the model writes. */
export interface LiveAnswer {
  hear(event: TurnEvent): void
  /** Edits no more; resolves when nothing is under way, so that the answer cannot be overtaken. */
  stop(): Promise<void>
}

/** So much has to be new before the message is edited again. */
const leastNew = 24
const cursor = ' ▉'
const editDeadline = 15_000

/** Shows the answer of a turn while it is written, by editing one message. Platforms that cannot edit get nothing of it. */
export function openLiveAnswer(options: LiveAnswerOptions): LiveAnswer {
  const { spec, clock, claim, patience } = options
  const place = placeOf(options)
  const over = new AbortController()
  let text = ''
  let shown = 0
  const everyMs = spec.limits.editMs
  let preview: ClaimedSend | undefined
  let platformId: string | undefined = claim.preview?.platformId ?? undefined
  let failed = !spec.capabilities.edit || claim.preview?.platformId === null
  let working: Promise<void> | undefined

  const show = async (): Promise<void> => {
    if (!patience.hasRoom(place)) return void (await clock.sleep(everyMs, over.signal).catch(() => undefined))
    const visible = firstPart(options, text)
    shown = text.length
    patience.spend(place)
    if (platformId === undefined) {
      const posted = await post(options, visible)
      preview = posted?.send
      platformId = posted?.platformId
      failed = platformId === undefined
    } else await editOnce(platformId, visible)
    await clock.sleep(everyMs, over.signal).catch(() => undefined)
  }
  const editOnce = async (id: string, visible: string): Promise<void> => {
    const to = options.connection()
    if (!to) return
    const message = { ...messageOf(options, visible), key: preview?.message.key ?? `preview:${claim.seq}` }
    const bounds = { clock, deadline: editDeadline, what: 'Editing' }
    const receipt = await attempt(() => callWithin(bounds, (call) => to.edit(id, message, call)))
    if (receipt.status !== 'refused') return
    const { retryAfterMs } = receipt.error
    if (retryAfterMs === undefined) failed = true
    else patience.ask(place, retryAfterMs)
  }
  const isDue = (): boolean => !over.signal.aborted && !failed && text.length - shown >= leastNew
  const work = async (): Promise<void> => {
    try {
      while (isDue()) await show()
    } catch (error) {
      failed = true
      options.log.warn('an answer could not be shown while it was written', { platform: spec.id, error: String(error) })
    } finally {
      working = undefined
    }
  }
  return {
    hear: (event) => {
      if (event.type === 'message.delta') text += event.text
      // What the model said before it used a tool is no part of the answer.
      else if (event.type === 'tool.start') [text, shown] = ['', 0]
      if (!working && isDue()) working = work()
    },
    stop: async () => {
      over.abort()
      await working
    },
  }
}

/** As much as one message holds, with a cursor. */
function firstPart({ spec, prefix }: LiveAnswerOptions, text: string): string {
  const room = { ...spec.limits, maxLength: spec.limits.maxLength - cursor.length * 3 }
  const [first = ''] = chunkText(prefix + text, room)
  return `${first}${cursor}`
}

function messageOf({ claim, refers }: LiveAnswerOptions, text: string): Omit<OutboundMessage, 'key'> {
  const { id, account, conversation } = claim.message
  const replyTo = refers ? { replyTo: id } : {}
  return { account, conversation: conversation.id, text, part: { index: 0, total: 1 }, preview: true, ...replyTo }
}

/** The first showing is a send like any other: it is in the journal before it is on the platform. */
async function post(options: LiveAnswerOptions, text: string): Promise<{ send: ClaimedSend; platformId: string | undefined } | undefined> {
  const { journal, claim, connection, clock } = options
  const to = connection()
  const send = to && (await journal.startPreview(claim, text))
  if (!send) return undefined
  const result = await attempt(() =>
    callWithin({ clock, deadline: editDeadline, what: 'Sending' }, (call) =>
      to.send({ ...send.message, ...messageOf(options, text) }, call),
    ),
  )
  if (result.status !== 'sent' && result.error.retryAfterMs !== undefined) options.patience.ask(placeOf(options), result.error.retryAfterMs)
  await journal.settleSend(send, asPreviewResult(result, clock.now()))
  return { send, platformId: result.status === 'sent' ? result.platformId : undefined }
}

/** The outbox asks what became of it: a preview that is there becomes the answer. */
function asPreviewResult(receipt: Receipt, notBefore: number): SendResult {
  return receipt.status === 'unknown' ? { status: 'retry', notBefore, doubt: 'ask' } : receipt
}

function placeOf({ claim: { platform, message } }: LiveAnswerOptions): ConversationRef {
  return { platform, account: message.account, conversation: message.conversation.id }
}

async function attempt(run: () => Promise<Receipt>): Promise<Receipt> {
  try {
    return await run()
  } catch (error) {
    if (isAgentError(error, 'TIMED_OUT')) return { status: 'unknown', error: toWireError(error) }
    return { status: 'refused', error: toWireError(error) }
  }
}
