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

/** How many bytes say what an image is. */
export const magicLength = 12
