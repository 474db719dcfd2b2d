import { lstatSync, type Stats } from 'node:fs'

/**
 * A path below a folder as git gives it: one character for each byte, because a name need not be text. It goes to the system as bytes and to
 * people as text.
 */
export type BytesPath = string

const toBytes = (path: BytesPath): Buffer => Buffer.from(path, 'latin1')

export const onDisk = (folder: string, path: BytesPath): Buffer => Buffer.concat([Buffer.from(`${folder}/`), toBytes(path)])

export const shownPath = (path: BytesPath): string => toBytes(path).toString('utf8')

export const fromText = (path: string): BytesPath => Buffer.from(path, 'utf8').toString('latin1')

export const splitPaths = (printed: Buffer): readonly BytesPath[] => {
  const text = printed.toString('latin1')
  return text === '' ? [] : text.slice(0, -1).split('\0')
}

export const joinPaths = (paths: Iterable<BytesPath>): Buffer => Buffer.from([...paths].map((path) => `${path}\0`).join(''), 'latin1')

/** What stands there; undefined where nothing does, or where it cannot be reached. */
export function lookAt(folder: string, path: BytesPath): Stats | undefined {
  try {
    return lstatSync(onDisk(folder, path), { throwIfNoEntry: false })
  } catch {
    // A file stands where a folder should, or nobody may look.
    return undefined
  }
}

/** The folders above it, from the top down. */
export function parentsOf(path: BytesPath): readonly BytesPath[] {
  const parts = path.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/'))
}
