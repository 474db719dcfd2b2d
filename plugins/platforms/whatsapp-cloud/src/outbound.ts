import type { Call, Clock, Connection, Files, OutboundMedia, OutboundMessage, PressAnswer, Receipt } from '@agent/plugin-sdk'
import { withTimeLimit } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { createReceipts, createSendGate, type Life, type SendGate, sendRequest } from '@agent/plugin-sdk/http'
import { type Api, platform } from './api.ts'
import type { Memory } from './memory.ts'
import { chooseType, formatText, type Payload, writeFile, writeQuestion, writeText } from './payloads.ts'
import { parseProblem, parseSentId, parseUploadedId } from './wire.ts'

export interface SenderOptions {
  readonly api: Api
  readonly memory: Memory
  readonly files: Files
  readonly clock: Clock
  readonly life: Life
}

/** After `finish` nothing more begins; it resolves when what was begun has its receipt. */
export interface Sender extends Required<Pick<Connection, 'send' | 'findSent' | 'typing' | 'react'>>, Pick<SendGate, 'finish'> {
  /** Shows the person who pressed a button the result. */
  answerPress(conversation: string, question: string, answer: PressAnswer, call: Call): Promise<void>
}

const { notSent, refused, sent, unknown } = createReceipts(platform)

const marks = { seen: '👀', done: '✅', failed: '❌' } as const
/** How long Meta may take to tell of a message that it has. */
const statusMs = 4000

export function createSender(options: SenderOptions): Sender {
  const { memory, life } = options
  const gate = createSendGate(() => notSent('the connection is gone'))
  const quietly = async (payload: Payload, what: string, call: Call): Promise<void> => {
    const receipt = await post(options, payload, call)
    if (receipt.status === 'refused') throw fail('PLATFORM_UNREACHABLE', { platform, detail: `${what}: ${receipt.error.params.detail}` })
  }
  return {
    send: (message, call) => {
      if (life.signal.aborted) return Promise.reject(notSent('the connection is gone'))
      return gate.run(() => deliver(options, message, call))
    },
    finish: gate.finish,
    findSent: ({ key }, call) => findSent(options, key, call),
    // Meta shows typing below a message that it marks as read with it.
    typing: async (conversation, call) => {
      const id = memory.lastMessage(conversation)
      if (id === undefined) return
      await quietly({ status: 'read', message_id: id, typing_indicator: { type: 'text' } }, 'typing', call)
    },
    react: ({ id, conversation }, mood, call) =>
      quietly({ ...addressTo(conversation), type: 'reaction', reaction: { message_id: id, emoji: marks[mood] } }, 'a mark', call),
    answerPress: async (conversation, question, { status, text }, call) => {
      const buttons = status === 'refused' ? memory.buttons(question) : []
      // A button can be pressed once: a question that is still open is asked again.
      const payloads = buttons.length > 0 ? writeQuestion(text, buttons) : [writeText(text)]
      for (const payload of payloads) {
        const receipt = await post(options, { ...addressTo(conversation), ...payload }, call)
        if (receipt.status === 'sent' && buttons.length > 0) memory.rememberButtons(receipt.platformId, buttons)
      }
    },
  }
}

/** A phone number, or Meta's id of somebody who hides it. */
function addressTo(conversation: string): Payload {
  const person = /^\d+$/.test(conversation) ? { to: conversation } : { recipient: conversation }
  return { recipient_type: 'individual', ...person }
}

async function deliver(options: SenderOptions, message: OutboundMessage, call: Call): Promise<Receipt> {
  const { memory } = options
  if (!/^\+?\d{5,20}$|^[A-Z]{2}\.[\w.]{1,140}$/.test(message.conversation)) return refused('the receiver is no number')
  const { payloads, failed } = await writePayloads(options, message, call)
  if (failed) return failed
  if (payloads.length === 0) return refused('there is nothing to say')
  const about = {
    ...addressTo(message.conversation.replace(/^\+/, '')),
    biz_opaque_callback_data: message.key,
  }
  let last: Receipt | undefined
  for (const payload of payloads) {
    const quote = last === undefined && message.replyTo !== undefined ? { context: { message_id: message.replyTo } } : {}
    const receipt = await post(options, { ...about, ...quote, ...payload }, call).catch((error: unknown) => {
      if (last === undefined) throw error
      return unknown(String(error))
    })
    if (receipt.status !== 'sent') return last === undefined ? receipt : unknown('only a part of it was taken')
    last = receipt
    memory.rememberButtons(receipt.platformId, message.buttons ?? [])
  }
  return last ?? refused('there is nothing to say')
}

interface Written {
  readonly payloads: readonly Payload[]
  /** A file could not be uploaded. */
  readonly failed?: Receipt
}

/** The requests that make up a message, in order. */
async function writePayloads(options: SenderOptions, message: OutboundMessage, call: Call): Promise<Written> {
  const { media = [], buttons = [] } = message
  const text = formatText(message)
  const payloads: Payload[] = []
  // Words that no file can carry go first.
  const [first] = media
  const isCaption = first !== undefined && buttons.length === 0 && chooseType(first) !== 'audio' && text.length <= 1024
  if (text.trim() !== '' && !isCaption) payloads.push(...(buttons.length > 0 ? writeQuestion(text, buttons) : [writeText(text)]))
  for (const [index, one] of media.entries()) {
    const uploaded = await upload(options, one, call)
    if (uploaded.status !== 'sent') return { payloads: [], failed: uploaded }
    payloads.push(writeFile(one, uploaded.platformId, isCaption && index === 0 ? text.trim() : ''))
  }
  return { payloads }
}

/** Nobody sees a file that was only uploaded: whatever went wrong, it can be tried again. */
async function upload({ api, files, clock, life }: SenderOptions, { blob }: OutboundMedia, call: Call): Promise<Receipt> {
  const chunks: Uint8Array[] = []
  for await (const chunk of files.read(blob)) chunks.push(chunk)
  const form = new FormData()
  form.set('messaging_product', 'whatsapp')
  form.set('type', blob.mime)
  form.set('file', new Blob([Buffer.concat(chunks)], { type: blob.mime }), blob.name ?? 'file')
  const request = (signal: AbortSignal): Promise<Response> => api.upload(form, signal)
  const receipt = await sendRequest({ platform, clock, call, request, readId: parseUploadedId, readProblem: readProblem(life) })
  return receipt.status === 'unknown' ? refused(`a file could not be uploaded: ${receipt.error.params.detail}`, 5000) : receipt
}

function post({ api, clock, life }: SenderOptions, payload: Payload, call: Call): Promise<Receipt> {
  const request = (signal: AbortSignal): Promise<Response> => api.postMessage(payload, signal)
  // What is only a mark of ours, such as read, has no id.
  const readId = (body: string): string | undefined => parseSentId(body) ?? (payload.status === 'read' ? 'read' : undefined)
  return sendRequest({ platform, clock, call, request, readId, readProblem: readProblem(life) })
}

/** A token that has run out ends the connection: nothing works without another one. */
function readProblem(life: Life): (body: string) => { readonly detail?: string; readonly retryAfterMs?: number | undefined } {
  return (body) => {
    const problem = parseProblem(body)
    if (problem?.code === 190) life.end(fail('PLATFORM_AUTH', { platform, detail: problem.detail }))
    return problem ?? {}
  }
}

/** Meta tells of every message that it has taken, with the key that we gave it. */
async function findSent({ memory, clock }: SenderOptions, key: string, { signal }: Call): Promise<Receipt> {
  try {
    const within = { clock, signal, ms: statusMs, what: 'the word of WhatsApp' }
    const { id, failure } = await withTimeLimit(within, (bounded) => memory.awaitStatus(key, bounded))
    return failure === undefined ? sent(id) : refused(failure)
  } catch (error) {
    if (!isAgentError(error, 'TIMED_OUT')) throw error
    return unknown('WhatsApp has not told of it')
  }
}
