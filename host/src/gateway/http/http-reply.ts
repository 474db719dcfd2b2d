import type { ServerResponse } from 'node:http'
import { type Clock, type HttpReply, isOverWithin } from '@agent/plugin-sdk'

/** Text that may wait for the end of the event-loop turn, in characters; more is written at once. */
const gatherLimit = 32_768

/** A piece of a whole reply; more is written when the client has taken it. */
const sliceBytes = 65_536

export interface ReplyLimits {
  readonly clock: Clock
  /** A client that has not taken what was written within this time has left. */
  readonly unreadMs: number
}

/** Writes a whole reply; a stream of pieces is gathered per turn of the event loop and waits for a slow client. */
export async function sendReply(response: ServerResponse, reply: HttpReply, limits: ReplyLimits): Promise<void> {
  if (response.destroyed) return
  const { body = '' } = reply
  if (typeof body !== 'string' && !(body instanceof Uint8Array)) {
    response.writeHead(reply.status, reply.headers)
    return sendPieces(response, body, limits)
  }
  const bytes = typeof body === 'string' && body.length <= sliceBytes ? body : Buffer.from(body as Uint8Array)
  response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(bytes) })
  if (typeof bytes !== 'string') return sendPieces(response, slices(bytes), limits)
  await end(response, bytes, limits)
}

function* slices(bytes: Buffer): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += sliceBytes) yield bytes.subarray(at, at + sliceBytes)
}

type Pieces = AsyncIterable<string | Uint8Array> | Iterable<Uint8Array>

async function sendPieces(response: ServerResponse, pieces: Pieces, limits: ReplyLimits): Promise<void> {
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

  const iterator = Symbol.iterator in pieces ? pieces[Symbol.iterator]() : pieces[Symbol.asyncIterator]()
  // One that waits for its next piece would not notice that nobody is there any more.
  const leave = (): unknown => void Promise.resolve(iterator.return?.()).catch(() => undefined)
  response.once('close', leave)
  try {
    for await (const piece of { [Symbol.asyncIterator]: () => iterator as AsyncIterator<string | Uint8Array> }) {
      if (response.destroyed) return
      if (typeof piece === 'string') gathered += piece
      else {
        flush()
        response.write(piece)
      }
      if (gathered.length > gatherLimit) flush()
      if (response.writableNeedDrain) await taken(response, 'drain', limits)
      else if (!waiting) {
        waiting = true
        planned = setImmediate(onTurn)
      }
    }
    await end(response, gathered, limits)
  } finally {
    response.off('close', leave)
    clearImmediate(planned)
  }
}

async function end(response: ServerResponse, text: string, limits: ReplyLimits): Promise<void> {
  response.end(text)
  // Mostly the system has taken it by then, and nothing is to be waited for.
  await new Promise(setImmediate)
  if (!response.writableFinished) await taken(response, 'finish', limits)
}

/** Resolves when the client has taken what was written; one that went away, or does not read, has no response any more. */
async function taken(response: ServerResponse, event: 'drain' | 'finish', { clock, unreadMs }: ReplyLimits): Promise<void> {
  if (response.destroyed) return
  const { promise, resolve } = waitFor()
  response.once(event, resolve)
  response.once('close', resolve)
  const isTaken = await isOverWithin({ clock, ms: unreadMs }, promise)
  response.off('close', resolve)
  if (!isTaken) response.destroy()
}

function waitFor(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = (): void => undefined
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
