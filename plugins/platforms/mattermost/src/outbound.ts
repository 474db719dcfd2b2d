import { createHash } from 'node:crypto'
import type { Call, Clock, Connection, LostSend, OutboundMessage, PlatformContext, Receipt } from '@agent/plugin-sdk'
import { appendFiles, createReceipts, createSendGate, parseJson, type SendGate, sendRequest } from '@agent/plugin-sdk/http'
import { type Api, platform, readProblem, refuse } from './api.ts'
import { parsePlace } from './place.ts'
import { isId, readCreated, readPosts, readUploaded } from './wire.ts'

export interface SenderOptions {
  readonly api: Api
  /** The bot's own id. */
  readonly account: string
  readonly files: Pick<PlatformContext['files'], 'read'>
  readonly clock: Clock
  /** The connection is over. */
  readonly signal: AbortSignal
}

export interface Sender extends Pick<SendGate, 'finish'> {
  readonly send: NonNullable<Connection['send']>
  readonly edit: NonNullable<Connection['edit']>
  readonly findSent: NonNullable<Connection['findSent']>
}

const { notSent, refused, unknown, sent } = createReceipts(platform)
const mostFiles = 10

export function createSender(options: SenderOptions): Sender {
  const gone = () => notSent('the connection is gone')
  const gate = createSendGate(gone)
  const run = (work: () => Promise<Receipt>): Promise<Receipt> => (options.signal.aborted ? Promise.reject(gone()) : gate.run(work))
  return {
    send: (message, call) => run(() => deliver(options, message, call)),
    edit: (platformId, message, call) => run(() => change(options, platformId, message, call)),
    findSent: (lost, call) => findSent(options, lost, call),
    finish: gate.finish,
  }
}

async function deliver(options: SenderOptions, message: OutboundMessage, call: Call): Promise<Receipt> {
  const place = parsePlace(message.conversation)
  const { media = [] } = message
  if (!place) return refused('the receiver is no channel')
  if (message.text.trim() === '' && media.length === 0) return refused('there is nothing to say')
  if (media.length > mostFiles) return refused(`more than ${mostFiles} files cannot go with one message`)
  const uploaded = await upload(options, place.channel, message, call)
  if ('refusal' in uploaded) return uploaded.refusal
  const mark = formatMark(message.key)
  const json = {
    channel_id: place.channel,
    root_id: place.root ?? '',
    message: quietCrowds(message.text),
    file_ids: uploaded.ids,
    // Found again in the history by the first, and recognised by the server for half a minute by the second.
    props: { agent_key: mark },
    pending_post_id: `${options.account}:${mark}`,
  }
  return await request(options, call, 'POST', '/posts', json)
}

async function change(options: SenderOptions, id: string, message: OutboundMessage, call: Call): Promise<Receipt> {
  if (!isId(id)) return refused('there is no such message')
  return await request(options, call, 'PUT', `/posts/${id}/patch`, { message: quietCrowds(message.text) })
}

function request({ api, clock }: SenderOptions, call: Call, method: string, path: string, json: object): Promise<Receipt> {
  return sendRequest({
    platform,
    clock,
    call,
    request: (signal) => api.request(method, path, { json, signal }),
    readId: (body) => readCreated(parseJson(body))?.id,
    readProblem: (body) => ({ detail: readProblem(parseJson(body)).detail }),
  })
}

type Uploaded = { readonly ids: readonly string[] } | { readonly refusal: Receipt }

/** Files are uploaded before the message names them; until then nothing has been said. */
async function upload({ api, files }: SenderOptions, channel: string, { media = [] }: OutboundMessage, call: Call): Promise<Uploaded> {
  if (media.length === 0) return { ids: [] }
  const form = await appendFiles(new FormData(), media, files, () => 'files')
  const answer = await api.ask('POST', `/files?channel_id=${channel}`, { form, signal: call.signal })
  if (answer.ok) {
    const ids = (readUploaded(answer.body)?.file_infos ?? []).map(({ id }) => id)
    return ids.length === media.length ? { ids } : { refusal: refused('a file was not taken') }
  }
  if (answer.status === 429 || answer.status >= 500) throw notSent(answer.detail)
  return { refusal: refused(answer.detail) }
}

/** An answer calls nobody but whom it names: a channel of thousands is not woken by a model. */
function quietCrowds(text: string): string {
  return text.replace(/@(?=(?:all|channel|here)\b)/gi, '@\u200b')
}

/** The key of a message as the server keeps it. */
function formatMark(key: string): string {
  return createHash('sha256').update(key).digest('hex').slice(0, 32)
}

const pageSize = 200
const mostPages = 5
/** Clocks differ. */
const skewMs = 300_000

/** Looks for a message in the history of its channel. Nothing is concluded where it does not reach back to the first attempt. */
async function findSent(
  { api, account }: SenderOptions,
  { key, conversation, firstTriedAt }: LostSend,
  call: Call,
): Promise<Receipt | null> {
  const place = parsePlace(conversation)
  if (!place) return null
  const mark = formatMark(key)
  for (let page = 0; page < mostPages; page += 1) {
    const path = `/channels/${place.channel}/posts?page=${page}&per_page=${pageSize}&skipFetchThreads=true`
    const answer = await api.ask('GET', path, { signal: call.signal })
    if (!answer.ok) throw refuse(answer)
    const posts = readPosts(answer.body) ?? []
    const found = posts.find(({ user_id, props }) => user_id === account && props?.agent_key === mark)
    if (found) return sent(found.id)
    const oldest = posts.at(-1)
    if (posts.length < pageSize || !oldest || oldest.create_at < firstTriedAt - skewMs) return null
  }
  return unknown('the channel has too many messages to look for it')
}
