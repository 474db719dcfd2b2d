import type { Call, Clock, Connection, Files, OutboundMedia, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { createReceipts, createSendGate, describeError, sendRequest } from '@agent/plugin-sdk/http'
import { formatMessageId, formatTarget, parseMessageId } from './address.ts'
import { type Daemon, type Parameters, platform } from './daemon.ts'
import { formatStyled } from './markup.ts'
import type { Memory } from './memory.ts'
import { redactPhones } from './phone.ts'
import { parseAnswer, parseResults, type RpcFailure, results } from './wire.ts'

export interface SenderOptions {
  readonly daemon: Daemon
  readonly clock: Clock
  readonly files: Pick<Files, 'read'>
  readonly memory: Memory
  /** Our id, as author of what we send. */
  readonly selfId: string
}

export interface Sender {
  readonly send: NonNullable<Connection['send']>
  /** Begins nothing more; resolves when what was begun is over, or `signal` fires. */
  finish(signal: AbortSignal): Promise<void>
}

const { notSent, refused, unknown } = createReceipts(platform)

/** The daemon's words for trouble on the way to the server, after which nobody knows. */
const inputOutput = -3
const rateLimit = -5
/** Where Signal does not say for how long. */
const usualWaitMs = 60_000

export function createSender(options: SenderOptions): Sender {
  const gate = createSendGate(() => notSent('the connection is gone'))
  return { send: (message, call) => gate.run(() => deliver(options, message, call)), finish: gate.finish }
}

async function deliver(options: SenderOptions, message: OutboundMessage, call: Call): Promise<Receipt> {
  const target = formatTarget(message.conversation)
  if (!target) return refused('the receiver is neither a person nor a group')
  if (message.text.trim() === '' && !message.media?.length) return refused('there is nothing to say')
  let files: Parameters
  try {
    files = await formatFiles(options.files, message.media ?? [])
  } catch (error) {
    return refused(`a file cannot be read: ${describeError(error).detail}`)
  }
  const common = { ...target, ...files, ...formatQuote(options.memory, message.replyTo) }
  const plain = { ...common, message: message.text }
  if (!message.body || message.preview) return attempt(options, plain, call)
  const { text, styles } = formatStyled(message.body)
  const receipt = await attempt(options, { ...common, message: text, ...(styles.length > 0 && { textStyles: styles }) }, call)
  // An older signal-cli does not know styles.
  return styles.length > 0 && isRefusedFor(receipt, /style/i) ? attempt(options, plain, call) : receipt
}

const isRefusedFor = (receipt: Receipt, reason: RegExp): boolean =>
  receipt.status === 'refused' && reason.test(String(receipt.error.params.detail))

/** Signal shows of a quote what its sender says that it says. */
function formatQuote(memory: Memory, replyTo: string | undefined): Parameters {
  const quoted = replyTo === undefined ? undefined : parseMessageId(replyTo)
  if (!quoted || replyTo === undefined) return {}
  return { quoteTimestamp: quoted.timestamp, quoteAuthor: quoted.author, quoteMessage: memory.textOf(replyTo) }
}

/** Files go within the request. A voice message is marked as one, and alone. */
async function formatFiles(files: Pick<Files, 'read'>, media: readonly OutboundMedia[]): Promise<Parameters> {
  if (media.length === 0) return {}
  const attachments: string[] = []
  for (const { blob } of media) {
    const chunks: Uint8Array[] = []
    for await (const chunk of files.read(blob)) chunks.push(chunk)
    const name = (blob.name ?? 'file').replace(/[;,\s"]/g, '_')
    attachments.push(`data:${blob.mime};filename=${name};base64,${Buffer.concat(chunks).toString('base64')}`)
  }
  const [only] = media
  const isVoice = media.length === 1 && only?.kind === 'voice' && /^audio\/(aac|mp4|x-m4a|m4a)/.test(only.blob.mime)
  return { attachments, ...(isVoice && { voiceNote: true }) }
}

async function attempt({ daemon, clock, memory, selfId }: SenderOptions, parameters: Parameters, call: Call): Promise<Receipt> {
  let failure: RpcFailure | undefined
  const sending = sendRequest({
    platform,
    clock,
    call,
    request: (signal) => daemon.request('send', parameters, signal),
    readId: (body) => {
      const sent = results.sent.safeParse(parseAnswer(body)?.result).data
      if (!sent) return undefined
      memory.addOwn(sent.timestamp)
      return formatMessageId(selfId, sent.timestamp)
    },
    readProblem: (body) => {
      failure = parseAnswer(body)?.error ?? undefined
      return failure ? { detail: redactPhones(failure.message), retryAfterMs: readWait(failure) } : {}
    },
  })
  const receipt = await memory.during(String(parameters.message), sending)
  return failure?.code === inputOutput ? unknown(redactPhones(failure.message)) : receipt
}

/** How long Signal wants us to wait; undefined where that is not the trouble. */
function readWait({ code, data }: RpcFailure): number | undefined {
  const each = parseResults(data?.response?.results)
  const seconds = each.flatMap(({ retryAfterSeconds }) => retryAfterSeconds ?? [])
  if (seconds.length > 0) return Math.max(...seconds) * 1000
  return code === rateLimit ? usualWaitMs : undefined
}
