import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { HttpHead } from '@agent/plugin-sdk'
import { detailOf, fail, isAgentError } from '@agent/plugin-sdk/errors'
import type { BodyMemory } from '@agent/plugin-sdk/http'

const decoders = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress }
const chunkSize = 65_536

/** The way in which a body is packed; undefined: it is not. */
export function packingOf({ headers }: HttpHead): keyof typeof decoders | undefined {
  const name = headers['content-encoding']?.trim().toLowerCase() ?? 'identity'
  if (name === 'identity' || name === '') return undefined
  if (Object.hasOwn(decoders, name)) return name as keyof typeof decoders
  throw fail('HTTP_CONTENT_UNSUPPORTED', {
    param: 'Content-Encoding',
    what: `a body packed as ${name.slice(0, 40)} (gzip, deflate and br are)`,
  })
}

export interface UnpackRules {
  readonly limit: number
  readonly memory: BodyMemory
}

/** What was packed small may be large: the limit holds for what comes out, and nothing beyond it is made. */
export async function unpack(body: Uint8Array, packing: keyof typeof decoders, { limit, memory }: UnpackRules): Promise<Uint8Array> {
  const decoder = decoders[packing]({ chunkSize })
  const gathering = memory.gather(limit)
  decoder.end(body)
  try {
    for await (const piece of decoder as AsyncIterable<Uint8Array>) {
      if (gathering.bytes + piece.length > limit) throw fail('HTTP_BODY_TOO_LARGE', { limit })
      gathering.add(piece)
    }
    return gathering.take()
  } catch (error) {
    if (isAgentError(error)) throw error
    throw fail('HTTP_BAD_JSON', { detail: `it is not ${packing} data (${detailOf(error)})` }, { cause: error })
  } finally {
    gathering.drop()
  }
}
