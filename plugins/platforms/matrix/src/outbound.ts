import type { Call, Connection, OutboundMedia, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { isAgentError, toWireError } from '@agent/plugin-sdk/errors'
import { createReceipts, createSendGate, sendRequest } from '@agent/plugin-sdk/http'
import { describeProblem, formatPath, platform } from './api.ts'
import { type Content, formatEdit, formatFile, formatRelation, formatText, readPlace } from './content.ts'
import { formatChoices, type Questions } from './questions.ts'
import type { Session } from './session.ts'
import { parseProblem, readJson, replies } from './wire.ts'

export interface Sender extends Required<Pick<Connection, 'send' | 'edit'>> {
  finish(signal: AbortSignal): Promise<void>
}

const { notSent, refused } = createReceipts(platform)

export function createSender(session: Session, questions: Questions): Sender {
  const { signal } = session.life
  const gate = createSendGate(() => notSent('the connection is gone'))
  const run = (send: () => Promise<Receipt>): Promise<Receipt> =>
    signal.aborted ? Promise.reject(notSent('the connection is gone')) : gate.run(send).catch(turnRefusal)
  let edits = 0
  return {
    send: (message, call) => run(() => deliver(session, questions, message, call)),
    edit: (id, message, call) =>
      run(async () => {
        edits += 1
        const transaction = `${session.context.clock.now()}-${edits}-${id}`
        const { room } = readPlace(message.conversation)
        const content = formatEdit(id, formatText(message, formatChoices(message.buttons)))
        const receipt = await write(session, call, room, transaction, content)
        if (receipt.status === 'sent') await questions.replace(room, id, message)
        // The message keeps its id; the event of the edit is nobody's business.
        return receipt.status === 'sent' ? { status: 'sent', platformId: id } : receipt
      }),
    finish: gate.finish,
  }
}

/** What the server refuses before the message itself went out is a refusal of the message. */
function turnRefusal(error: unknown): Receipt {
  if (isAgentError(error, 'SEND_REFUSED') || isAgentError(error, 'PLATFORM_AUTH')) return { status: 'refused', error: toWireError(error) }
  throw error
}

/** Files first, each a separate event; the first carries the text, unless that asks something. */
async function deliver(session: Session, questions: Questions, message: OutboundMessage, call: Call): Promise<Receipt> {
  const { media = [], buttons = [], replyTo } = message
  const { room, thread } = readPlace(message.conversation)
  if (!room.startsWith('!')) return refused('the receiver is no room: its id begins with !')
  const relation = formatRelation(thread, replyTo)
  const text = formatText(message, formatChoices(buttons))
  const apart = media.length === 0 || buttons.length > 0
  const isEncrypted = media.length > 0 && (await session.seals.isEncrypted(room))
  const places = await Promise.all(media.map((one) => upload(session, one, isEncrypted, call)))
  const caption = apart || message.text === '' ? undefined : text
  const files = media.map((one, index) => formatFile(one, places[index] ?? {}, index === 0 ? caption : undefined))
  let receipt: Receipt = refused('there is nothing to say')
  for (const [index, content] of [...files, ...(apart ? [text] : [])].entries()) {
    const transaction = `${message.key}-${index}`
    receipt = await write(session, call, room, transaction, { ...content, ...relation })
    if (receipt.status !== 'sent') return receipt
  }
  if (receipt.status === 'sent' && buttons.length > 0) await questions.replace(room, receipt.platformId, message)
  return receipt
}

/** Two writings with the same transaction make one message. One that is too large with its markup goes out without it. */
async function write(
  { api, seals, context: { clock } }: Session,
  call: Call,
  room: string,
  transaction: string,
  content: Content,
): Promise<Receipt> {
  let tooLarge = false
  const attempt = async (name: string, plain: Content): Promise<Receipt> => {
    const { type, content: body } = await seals.seal(room, 'm.room.message', plain)
    return await sendRequest({
      platform,
      clock,
      call,
      request: (signal) => api.post(formatPath('rooms', room, 'send', type, name), { method: 'PUT', body, signal }),
      readId: (reply) => readJson(replies.sent, reply)?.event_id,
      readProblem: (reply) => {
        const { errcode = '', error, retry_after_ms } = parseProblem(reply) ?? {}
        tooLarge = errcode === 'M_TOO_LARGE'
        return { detail: describeProblem(errcode, error), retryAfterMs: retry_after_ms }
      },
    })
  }
  const receipt = await attempt(transaction, content)
  const bare = { ...content, format: undefined, formatted_body: undefined }
  return tooLarge && content.format ? await attempt(`${transaction}-plain`, bare) : receipt
}

/** Where the file is then, as a message says it. */
async function upload({ api, context }: Session, { blob }: OutboundMedia, isEncrypted: boolean, { signal }: Call): Promise<Content> {
  const pieces: Uint8Array[] = []
  for await (const piece of context.files.read(blob)) pieces.push(piece)
  const plain = new Uint8Array(Buffer.concat(pieces))
  const put = async (name: string, mime: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
    const path = `media/v3/upload?filename=${encodeURIComponent(name)}`
    return (await api.ask(replies.upload, path, { method: 'POST', raw: { mime, bytes }, signal })).content_uri
  }
  if (!isEncrypted) return { url: await put(blob.name ?? 'file', blob.mime, plain) }
  const { encryptFile } = await import('./encryption/files.ts')
  const { bytes, file } = encryptFile(plain)
  // The server learns neither its name nor what it is.
  return { file: file(await put('file', 'application/octet-stream', bytes)) }
}
