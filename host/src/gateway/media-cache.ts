import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Blob, Files } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

/** Largest file that is kept, in bytes. */
const largest = 25 * 1024 * 1024

/** Files that came with messages. A handle is a name inside the folder, never a path. */
export function openMediaCache(folder: string): Files {
  return {
    put: async (body, { mime, name }) => {
      await mkdir(folder, { recursive: true, mode: 0o700 })
      const blob = `doc_${randomBytes(6).toString('hex')}${name === undefined ? '' : `_${safeName(name)}`}`
      const bytes = await writeFile(join(folder, blob), body)
      return name === undefined ? { blob, mime, bytes } : { blob, mime, bytes, name }
    },
    read: (blob: Blob) => {
      if (basename(blob.blob) !== blob.blob || !/^doc_[0-9a-f]{12}/.test(blob.blob)) throw fail('PATH_PROTECTED', { path: blob.blob })
      return createReadStream(join(folder, blob.blob))
    },
  }
}

/** Streams to disk and stops hard at the limit; nothing half-written stays. */
async function writeFile(path: string, body: AsyncIterable<Uint8Array>): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  let bytes = 0
  try {
    for await (const piece of body) {
      bytes += piece.length
      if (bytes > largest) throw fail('HTTP_BODY_TOO_LARGE', { limit: largest })
      await file.write(piece)
    }
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
  return bytes
}

function safeName(name: string): string {
  return basename(name)
    .replace(/[^\w.-]+/g, '_')
    .slice(-60)
}
