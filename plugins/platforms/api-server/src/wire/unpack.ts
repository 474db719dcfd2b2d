import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import type { HttpHead } from '@agent/plugin-sdk'
import { detailOf, fail } from '@agent/plugin-sdk/errors'

const decoders = { gzip: promisify(gunzip), 'x-gzip': promisify(gunzip), deflate: promisify(inflate), br: promisify(brotliDecompress) }

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

/** What was packed small may be large: the limit holds for what comes out, and nothing beyond it is made. */
export async function unpack(body: Uint8Array, packing: keyof typeof decoders, limit: number): Promise<Uint8Array> {
  try {
    return await decoders[packing](body, { maxOutputLength: limit })
  } catch (error) {
    if (error instanceof RangeError) throw fail('HTTP_BODY_TOO_LARGE', { limit }, { cause: error })
    throw fail('HTTP_BAD_JSON', { detail: `it is not ${packing} data (${detailOf(error)})` }, { cause: error })
  }
}
