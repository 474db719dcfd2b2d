import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Blob, Clock, Files, MediaKind } from '@agent/plugin-sdk'
import { imageTypeOf } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { folderOf, folderOfBlob, kindOfMime, magicLength } from './media-kinds.ts'

export interface MediaStoreOptions {
  readonly kind: MediaKind
  readonly mime: string
  readonly name?: string | undefined
  /** Most bytes that are taken. */
  readonly maxBytes: number
}

/** Files that came with messages, for a day. A handle is a name inside the cache, never a path. */
export interface MediaCache extends Files {
  /** Keeps a file. Rejects with MEDIA_TOO_LARGE, or with MEDIA_NOT_IMAGE where an image is none; nothing half-written stays. */
  store(body: AsyncIterable<Uint8Array>, options: MediaStoreOptions): Promise<Blob>
  /** Where a file lies. Rejects with PATH_PROTECTED for a handle that this cache cannot have given. */
  pathOf(blob: Blob): string
  /** Forgets what is older than a day. */
  prune(): Promise<void>
}

/** Largest file that a platform may keep by itself, in bytes. */
const largest = 25 * 1024 * 1024
const keepMs = 24 * 3_600_000

/** `folder` is the cache of the home. */
export function openMediaCache(folder: string, clock: Pick<Clock, 'now'>): MediaCache {
  const pathOf = ({ blob }: Blob): string => {
    const kind = basename(blob) === blob ? folderOfBlob(blob) : undefined
    if (kind === undefined) throw fail('PATH_PROTECTED', { path: blob })
    return join(folder, kind, blob)
  }
  const store: MediaCache['store'] = (body, options) => storeFile(folder, body, options)
  return {
    store,
    pathOf,
    put: (body, { mime, name }) => store(body, { kind: kindOfMime(mime), mime, name, maxBytes: largest }),
    read: (blob) => createReadStream(pathOf(blob)),
    prune: () => pruneFiles(folder, clock.now() - keepMs),
  }
}

async function storeFile(cache: string, body: AsyncIterable<Uint8Array>, { kind, mime, name, maxBytes }: MediaStoreOptions): Promise<Blob> {
  const { folder, prefix } = folderOf(kind)
  await mkdir(join(cache, folder), { recursive: true, mode: 0o700 })
  const blob = `${prefix}_${randomBytes(6).toString('hex')}${ending(kind, name)}`
  const path = join(cache, folder, blob)
  try {
    const { bytes, head } = await writeFile(`${path}.part`, body, maxBytes)
    const image = imageTypeOf(head)
    if (kind === 'image' && image === undefined) throw fail('MEDIA_NOT_IMAGE', { name: name ?? blob })
    await rename(`${path}.part`, path)
    return { blob, mime: image ?? mime, bytes, ...(name === undefined ? {} : { name }) }
  } catch (error) {
    await rm(`${path}.part`, { force: true })
    throw error
  }
}

async function writeFile(path: string, body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<{ bytes: number; head: Uint8Array }> {
  const file = await open(path, 'wx', 0o600)
  let bytes = 0
  let head: Uint8Array = new Uint8Array()
  try {
    for await (const piece of body) {
      bytes += piece.length
      if (bytes > maxBytes) throw fail('MEDIA_TOO_LARGE', { limit: maxBytes })
      if (head.length < magicLength) head = Buffer.concat([head, piece.subarray(0, magicLength)])
      await file.write(piece)
    }
  } finally {
    await file.close()
  }
  return { bytes, head }
}

/** Documents keep their name, for people; other files the end of it. */
function ending(kind: MediaKind, name: string | undefined): string {
  const safe = basename(name ?? '')
    .replace(/[^\w.-]+/g, '_')
    .slice(-60)
  if (safe === '') return ''
  return kind === 'document' ? `_${safe}` : (/\.[a-z0-9]{1,8}$/i.exec(safe)?.[0].toLowerCase() ?? '')
}

async function pruneFiles(cache: string, before: number): Promise<void> {
  for (const folder of ['images', 'audio', 'videos', 'documents']) {
    const names = await readdir(join(cache, folder)).catch(() => [])
    for (const name of names) {
      const path = join(cache, folder, name)
      const about = await stat(path).catch(() => undefined)
      if (about && about.mtimeMs < before) await rm(path, { force: true })
    }
  }
}
