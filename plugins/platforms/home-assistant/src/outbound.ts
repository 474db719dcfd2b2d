import { createHash } from 'node:crypto'
import type { Call, Clock, OutboundMessage, Receipt } from '@agent/plugin-sdk'
import { createReceipts, sendRequest } from '@agent/plugin-sdk/http'
import { type Api, platform } from './api.ts'
import { conversation as events } from './inbound.ts'
import { parseProblem, parseStates } from './wire.ts'

interface Target {
  readonly path: string
  readonly body: Readonly<Record<string, string>>
  readonly id: string
}

/** Shows a text in the house: as a notification on its page, or by the service that the conversation names. */
export async function sendMessage(api: Api, clock: Clock, message: OutboundMessage, call: Call): Promise<Receipt> {
  const target = findTarget(message)
  if (!target) return createReceipts(platform).refused(`"${message.conversation}" is neither ${events} nor notify.<target>`)
  return await sendRequest({
    platform,
    clock,
    call,
    request: (signal) => api(`/services/${target.path}`, signal, target.body),
    // A service that was called answers with what it changed.
    readId: (body) => (parseStates(body) ? target.id : undefined),
    readProblem: (body) => {
      const detail = parseStates(body) ? undefined : parseProblem(body)
      return { detail }
    },
  })
}

function findTarget({ conversation, text, key }: OutboundMessage): Target | undefined {
  // A repeated send replaces the notification instead of showing a second one.
  const id = `agent_${createHash('sha256').update(key).digest('hex').slice(0, 24)}`
  if (conversation === events || conversation === 'persistent_notification') {
    return { id, path: 'persistent_notification/create', body: { title: 'Agent', message: text, notification_id: id } }
  }
  const service = /^notify\.([a-z0-9_]+)$/.exec(conversation)?.[1]
  return service === undefined ? undefined : { id, path: `notify/${service}`, body: { message: text } }
}
