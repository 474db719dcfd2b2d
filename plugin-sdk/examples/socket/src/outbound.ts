import type { Connection, Receipt } from '@agent/plugin-sdk'
import { detailOf } from '@agent/plugin-sdk/errors'
import { createReceipts, type Life } from '@agent/plugin-sdk/http'
import { type Link, platform } from './link.ts'
import { formatLine, type Line, longestLine } from './wire.ts'

type Outbound = Required<Pick<Connection, 'send' | 'findSent'>>

const receipts = createReceipts(platform)
const answers = new Set(['OK', 'NO', 'NONE'])

export function createOutbound(link: Link, life: Life): Outbound {
  /** Waits first and writes then: the answer may come at once. */
  const ask = (signal: AbortSignal, command: string, key: string, ...words: Line): Promise<Line> => {
    const answered = link.until((line) => (answers.has(line[0] ?? '') && line[1] === key ? line : undefined), signal)
    link.write(command, key, ...words)
    return answered
  }
  return {
    send: async ({ key, conversation, text }, { signal }) => {
      // Until the first byte is written the host may simply send again; from then on nobody knows before there is an answer.
      if (life.signal.aborted || signal.aborted) throw receipts.notSent('the connection is over')
      const bytes = Buffer.byteLength(formatLine(['SAY', key, conversation, text]))
      if (bytes > longestLine) return receipts.refused(`its line would have ${bytes} bytes, and ${longestLine} are allowed`)
      try {
        return toReceipt(await ask(signal, 'SAY', key, conversation, text))
      } catch (error) {
        return receipts.unknown(detailOf(error))
      }
    },
    // The server says HELLO when it is through with the connection before, and works in order: so NONE is certain.
    findSent: async ({ key }, { signal }) => {
      const answer = await ask(signal, 'FIND', key)
      return answer[0] === 'NONE' ? null : toReceipt(answer)
    },
  }
}

/** `OK key id` or `NO key milliseconds reason`. */
function toReceipt([command, , first = '', reason = 'it gives no reason']: Line): Receipt {
  if (command === 'NO') return receipts.refused(reason, Number(first) > 0 ? Number(first) : undefined)
  return command === 'OK' && first !== '' ? receipts.sent(first) : receipts.unknown('its answer cannot be read')
}
