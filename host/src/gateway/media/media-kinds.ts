import type { MediaKind } from '@agent/plugin-sdk'

export interface MediaFolder {
  readonly folder: 'images' | 'audio' | 'videos' | 'documents'
  readonly prefix: 'img' | 'audio' | 'video' | 'doc'
}

const folders: Readonly<Record<MediaKind, MediaFolder>> = {
  image: { folder: 'images', prefix: 'img' },
  sticker: { folder: 'images', prefix: 'img' },
  audio: { folder: 'audio', prefix: 'audio' },
  voice: { folder: 'audio', prefix: 'audio' },
  video: { folder: 'videos', prefix: 'video' },
  document: { folder: 'documents', prefix: 'doc' },
}

export function folderOf(kind: MediaKind): MediaFolder {
  return folders[kind]
}

/** The folder of a file by the name that the cache gave it. */
export function folderOfBlob(blob: string): string | undefined {
  const prefix = /^(img|audio|video|doc)_[0-9a-f]{12}(?:[._][\w.-]*)?$/.exec(blob)?.[1]
  return Object.values(folders).find((one) => one.prefix === prefix)?.folder
}

/** What a file is by its declared type. */
export function kindOfMime(mime: string): MediaKind {
  const [family = ''] = mime.split('/', 1)
  return family === 'image' || family === 'audio' || family === 'video' ? family : 'document'
}

const magics: readonly (readonly [mime: string, at: number, bytes: readonly number[]])[] = [
  ['image/png', 0, [0x89, 0x50, 0x4e, 0x47]],
  ['image/jpeg', 0, [0xff, 0xd8, 0xff]],
  ['image/gif', 0, [0x47, 0x49, 0x46, 0x38]],
  ['image/bmp', 0, [0x42, 0x4d]],
  ['image/webp', 8, [0x57, 0x45, 0x42, 0x50]],
]

/** How many bytes say what an image is. */
export const magicLength = 12

/** The type of an image by its first bytes: whatever a server calls it, an error page is none. */
export function imageType(head: Uint8Array): string | undefined {
  return magics.find(([, at, bytes]) => bytes.every((byte, index) => head[at + index] === byte))?.[0]
}
