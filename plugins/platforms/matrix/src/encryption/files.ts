import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { fail } from '@agent/plugin-sdk/errors'

/** What opens an encrypted file; it travels in the encrypted message. */
export interface FileKey {
  readonly key: string
  readonly iv: string
  readonly sha256: string
}

const cipher = 'aes-256-ctr'
const bare = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '')

/** The bytes as they are uploaded, and what the message says of them. */
export function encryptFile(plain: Uint8Array): { readonly bytes: Uint8Array<ArrayBuffer>; readonly file: (url: string) => object } {
  const key = randomBytes(32)
  // The lower half counts the blocks.
  const iv = Buffer.concat([randomBytes(8), Buffer.alloc(8)])
  const bytes = new Uint8Array(createCipheriv(cipher, key, iv).update(plain))
  const jwk = { kty: 'oct', key_ops: ['encrypt', 'decrypt'], alg: 'A256CTR', k: key.toString('base64url'), ext: true }
  const hashes = { sha256: bare(createHash('sha256').update(bytes).digest()) }
  return { bytes, file: (url) => ({ v: 'v2', url, key: jwk, iv: bare(iv), hashes }) }
}

/** The end is a failure where the bytes are not those that were sent. */
export async function* decryptFile(bytes: AsyncIterable<Uint8Array>, { key, iv, sha256 }: FileKey): AsyncIterable<Uint8Array> {
  const opener = createDecipheriv(cipher, Buffer.from(key, 'base64url'), Buffer.from(iv, 'base64'))
  const hash = createHash('sha256')
  for await (const piece of bytes) {
    hash.update(piece)
    yield opener.update(piece)
  }
  if (bare(hash.digest()) !== sha256.replace(/=+$/, ''))
    throw fail('SEND_REFUSED', { platform: 'Matrix', detail: 'the encrypted file was changed on its way' })
}
