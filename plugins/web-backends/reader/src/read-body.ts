import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { failure } from './failure.ts'

const unpackers: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
}

/** The body of an answer, unpacked. It is counted while it is unpacked: a small answer may hold a large one. */
export async function readBody(answer: IncomingMessage, url: string, mostBytes: number): Promise<Uint8Array> {
  const packing = (answer.headers['content-encoding'] ?? '').trim().toLowerCase()
  const unpack = packing === '' || packing === 'identity' ? undefined : unpackers[packing]
  if (packing !== '' && packing !== 'identity' && !unpack) throw failure(`${url} is packed as ${packing.slice(0, 40)}, which is not read`)
  const chunks: Uint8Array[] = []
  let bytes = 0
  let excess: Error | undefined
  const collect = async (source: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const chunk of source) {
      bytes += chunk.length
      if (bytes > mostBytes)
        excess = failure(`${url} has more than ${Math.floor(mostBytes / 1_000_000)} MB, so it is not read: fetch it with a command`)
      if (excess) throw excess
      chunks.push(chunk)
    }
  }
  // What ends a pipeline is not always the first error in it.
  await (unpack ? pipeline(answer, unpack(), collect) : pipeline(answer, collect)).catch((error: unknown) => {
    throw excess ?? error
  })
  return Buffer.concat(chunks)
}
