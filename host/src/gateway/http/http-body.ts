import type { IncomingMessage } from 'node:http'

const empty = new Uint8Array(0)

/** The whole body, or why there is none. Node reads and drops what is over the limit, so that the client sees the answer instead of a reset. */
export function readBody(raw: IncomingMessage, limit: number): Promise<Uint8Array | 'too large' | 'cut'> | Uint8Array {
  const length = raw.headers['content-length']
  if (length === '0' || (length === undefined && raw.headers['transfer-encoding'] === undefined)) return empty
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let bytes = 0
    if (Number(length) > limit) drop()
    else raw.on('data', take)
    raw.once('end', () => resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)))
    raw.once('close', () => resolve('cut'))
    raw.once('error', () => resolve('cut'))

    function take(chunk: Buffer): void {
      bytes += chunk.length
      if (bytes > limit) drop()
      else chunks.push(chunk)
    }

    function drop(): void {
      raw.off('data', take)
      chunks.length = 0
      resolve('too large')
    }
  })
}
