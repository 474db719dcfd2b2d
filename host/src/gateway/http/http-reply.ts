import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { HttpReply } from '@agent/plugin-sdk'

/** Text that may wait for the end of the event-loop turn, in characters; more is written at once. */
const gatherLimit = 32_768

/** Writes a whole reply; a stream of pieces is gathered per turn of the event loop and waits for a slow client. */
export async function sendReply(response: ServerResponse, reply: HttpReply): Promise<void> {
  if (response.destroyed) return
  const { body = '' } = reply
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    response.writeHead(reply.status, reply.headers)
    return sendPieces(response, body)
  }
  response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

async function sendPieces(response: ServerResponse, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  let gathered = ''
  let planned = setImmediate(onTurn)
  let waiting = true

  function onTurn(): void {
    waiting = false
    flush()
  }

  function flush(): void {
    if (response.destroyed) return
    if (gathered !== '') response.write(gathered)
    else response.flushHeaders()
    gathered = ''
  }

  try {
    for await (const piece of pieces) {
      if (response.destroyed) return
      if (typeof piece === 'string') gathered += piece
      else {
        flush()
        response.write(piece)
      }
      if (gathered.length > gatherLimit) flush()
      if (response.writableNeedDrain) await drained(response)
      else if (!waiting) {
        waiting = true
        planned = setImmediate(onTurn)
      }
    }
    response.end(gathered)
  } finally {
    clearImmediate(planned)
  }
}

/** Also returns when the client went away: the loop then sees a destroyed response. */
async function drained(response: ServerResponse): Promise<void> {
  const gone = new AbortController()
  const onClose = (): void => gone.abort()
  response.once('close', onClose)
  try {
    await once(response, 'drain', { signal: gone.signal })
  } catch (error) {
    if (!gone.signal.aborted) throw error
  } finally {
    response.off('close', onClose)
  }
}
