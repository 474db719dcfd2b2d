import type { Call, Clock, Connection, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { createReceipts, createSendGate, type SendGate, sendRequest } from '@agent/plugin-sdk/http'
import { type Api, platform } from './api.ts'
import type { Memory } from './memory.ts'
import type { Settings } from './settings.ts'
import { type Attempt, isNumber, type ListedMessage, maskNumber, parseList, parseProblem, parseSentId } from './wire.ts'

export interface SenderOptions {
  readonly api: Api
  readonly memory: Memory
  readonly settings: Pick<Settings, 'number'>
  readonly clock: Clock
  /** The connection is over. */
  readonly signal: AbortSignal
}

/** After `finish` nothing more begins; it resolves when what was begun has its receipt. */
export type Sender = Required<Pick<Connection, 'send' | 'findSent'>> & Pick<SendGate, 'finish'>

const { notSent, refused, sent, unknown } = createReceipts(platform)

export function createSender(options: SenderOptions): Sender {
  const gate = createSendGate(() => notSent('the connection is gone'))
  return {
    send: (message, call) => {
      if (options.signal.aborted) return Promise.reject(notSent('the connection is gone'))
      return gate.run(() => deliver(options, message, call))
    },
    findSent: ({ key }, call) => findSent(options, key, call),
    finish: gate.finish,
  }
}

async function deliver({ api, memory, settings, clock }: SenderOptions, message: OutboundMessage, call: Call): Promise<Receipt> {
  if (!isNumber(message.conversation)) return refused('the receiver is no phone number')
  if (message.text.trim() === '') return refused('there is nothing to say')
  const form = new URLSearchParams({ To: message.conversation, From: settings.number, Body: message.text })
  await memory.begin({ key: message.key, to: message.conversation, text: message.text, at: clock.now() })
  const receipt = await sendRequest({
    platform,
    clock,
    call,
    request: (signal) => api.post('/Messages.json', form, signal),
    readId: parseSentId,
    readProblem: (body) => ({ detail: parseProblem(body) }),
  })
  if (receipt.status === 'sent') await memory.settle(message.key, receipt.platformId)
  if (receipt.status === 'refused') await memory.settle(message.key, undefined)
  return receipt
}

/** Clocks differ, and Twilio counts whole seconds. */
const slackMs = 120_000

/** A message to the same number with the same words that no other send of ours accounts for. What is not listed may still be on its way. */
async function findSent({ api, memory, settings }: SenderOptions, key: string, { signal }: Call): Promise<Receipt> {
  const attempt = memory.find(key)
  if (!attempt) return unknown('nothing is known of it any more')
  const since = new Date(attempt.at - slackMs).toISOString().slice(0, 10)
  const query = new URLSearchParams({ To: attempt.to, From: settings.number, 'DateSent>': since, PageSize: '100' })
  const response = await api.get(`/Messages.json?${query}`, signal)
  const listed = parseList(await response.text())
  if (!response.ok || !listed) return unknown(`Twilio does not list its messages: it answered ${response.status}`)
  const found = listed.findLast((one) => isAttempt(one, attempt) && !memory.isKnown(one.sid))
  if (!found) return unknown(`Twilio does not list such a message to ${maskNumber(attempt.to)}`)
  await memory.settle(key, found.sid)
  return sent(found.sid)
}

/** Accounts on trial have something put before their words. */
function isAttempt({ to, body, date_created }: ListedMessage, attempt: Attempt): boolean {
  return to === attempt.to && body.trim().endsWith(attempt.text.trim()) && Date.parse(date_created) >= attempt.at - slackMs
}
