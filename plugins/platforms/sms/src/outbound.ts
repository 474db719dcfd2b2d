import type { Call, Clock, Connection, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { createReceipts, createSendGate, type SendGate, sendRequest } from '@agent/plugin-sdk/http'
import { type Api, platform } from './api.ts'
import type { Settings } from './settings.ts'
import { isNumber, parseProblem, parseSentId } from './wire.ts'

export interface SenderOptions {
  readonly api: Api
  readonly settings: Pick<Settings, 'number'>
  readonly clock: Clock
  /** The connection is over. */
  readonly signal: AbortSignal
}

/** After `finish` nothing more begins; it resolves when what was begun has its receipt. */
export type Sender = Required<Pick<Connection, 'send'>> & Pick<SendGate, 'finish'>

const { notSent, refused } = createReceipts(platform)

export function createSender(options: SenderOptions): Sender {
  const gate = createSendGate(() => notSent('the connection is gone'))
  return {
    send: (message, call) => {
      if (options.signal.aborted) return Promise.reject(notSent('the connection is gone'))
      return gate.run(() => deliver(options, message, call))
    },
    finish: gate.finish,
  }
}

async function deliver({ api, settings, clock }: SenderOptions, message: OutboundMessage, call: Call): Promise<Receipt> {
  if (!isNumber(message.conversation)) return refused('the receiver is no phone number')
  if (message.text.trim() === '') return refused('there is nothing to say')
  const form = new URLSearchParams({ To: message.conversation, From: settings.number, Body: message.text })
  return sendRequest({
    platform,
    clock,
    call,
    request: (signal) => api.post('/Messages.json', form, signal),
    readId: parseSentId,
    readProblem: (body) => ({ detail: parseProblem(body) }),
  })
}
