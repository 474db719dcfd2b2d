import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'

export type Encoding = 'utf8' | 'utf8-mark' | 'utf16le' | 'utf16be'

export interface TextFile {
  readonly text: string
  readonly encoding: Encoding
}

/** Files above this size are not read into memory. */
const largestFile = 20 * 1024 * 1024

/** A relative path is meant from the workspace, `~` is not special. */
export function resolvePath(workspace: string, path: string): string {
  return resolve(workspace, path)
}

/** Reads a text file of any common encoding; throws with a sentence for the model when it is not one. */
export async function readText(path: string, signal: AbortSignal): Promise<TextFile> {
  const about = await stat(path)
  if (about.isDirectory()) throw new Error(`${path} is a folder; search_files with target files lists it`)
  if (!about.isFile()) throw new Error(`${path} is not a regular file`)
  if (about.size > largestFile) throw new Error(`${path} has ${about.size} bytes, too many to read; search_files finds places in it`)
  const file = decodeText(await readFile(path, { signal }))
  if (!file) throw new Error(`${path} is a binary file`)
  return file
}

export function decodeText(bytes: Buffer): TextFile | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return { text: new TextDecoder('utf-16le').decode(bytes), encoding: 'utf16le' }
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return { text: new TextDecoder('utf-16be').decode(bytes), encoding: 'utf16be' }
  if (bytes.subarray(0, 8192).includes(0)) return undefined
  const marked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return { text: new TextDecoder('utf-8').decode(bytes), encoding: marked ? 'utf8-mark' : 'utf8' }
}

function encodeText({ text, encoding }: TextFile): Buffer {
  if (encoding === 'utf8') return Buffer.from(text)
  if (encoding === 'utf8-mark') return Buffer.from(`\uFEFF${text}`)
  const bytes = Buffer.from(`\uFEFF${text}`, 'utf16le')
  return encoding === 'utf16be' ? bytes.swap16() : bytes
}

/** Readers see the old file or the new one, never a part. Follows a link, keeps the mode, makes missing folders. */
export async function writeText(path: string, file: TextFile): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const mode = await stat(target).then(
    (about) => about.mode & 0o777,
    () => undefined,
  )
  await mkdir(dirname(target), { recursive: true })
  const draft = join(dirname(target), `.${randomUUID()}.draft`)
  try {
    const handle = await open(draft, 'wx', mode ?? 0o666)
    try {
      await handle.writeFile(encodeText(file))
    } finally {
      await handle.close()
    }
    // By its path: a child with permissions may not do it by the handle.
    if (mode !== undefined) await chmod(draft, mode)
    await rename(draft, target)
  } catch (error) {
    await rm(draft, { force: true })
    throw error
  }
}
