import { isUtf8 } from 'node:buffer'
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, type Stats } from 'node:fs'
import { detailOf, fail } from '@agent/plugin-sdk/errors'

/** Bytes for a file that says it is empty. */
const leastRoom = 1023

export interface ReadTextOptions {
  /** A larger file is refused unread. */
  readonly mostBytes: number
  /** What a person can do instead of correcting the file. */
  readonly otherwise?: string
}

/** The text of a file that a person may have put there; undefined where there is none. Never waits: a pipe or a device is refused by name. */
export function readText(path: string, { mostBytes, otherwise }: ReadTextOptions): string | undefined {
  const refuse = (problem: string, fix: string, cause?: unknown): Error =>
    fail('FILE_UNREADABLE', { path, problem, fix: otherwise === undefined ? fix : `${fix}, or ${otherwise}` }, { cause })
  const file = open(path, refuse)
  if (file === undefined) return undefined
  try {
    const about = fstatSync(file)
    if (!about.isFile()) throw refuse(`is ${kindOf(about)} and no file`, 'put a text file in its place')
    const bytes = about.size > mostBytes ? undefined : readAtMost(file, about, mostBytes)
    if (bytes === undefined) throw refuse(`is larger than ${mostBytes / 1024} KiB`, 'shorten it')
    if (!isUtf8(bytes)) throw refuse(`has bytes in line ${brokenLine(bytes)} that are not UTF-8`, 'save it as UTF-8')
    return bytes.toString('utf8')
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw refuse(`cannot be read (${error.code})`, 'see what stands there', error)
  } finally {
    closeSync(file)
  }
}

type Refuse = (problem: string, fix: string, cause?: unknown) => Error

function open(path: string, refuse: Refuse): number | undefined {
  try {
    // Opening a pipe would wait for its writer.
    return openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error)
    if (code === 'ENOENT' && !lstatSync(path, { throwIfNoEntry: false })) return undefined
    throw refuse(...reasonOf(code), error)
  }
}

function reasonOf(code: string): readonly [problem: string, fix: string] {
  return closed[code] ?? [`cannot be opened (${code})`, 'see what stands there']
}

/** What the system said of a file, in words; undefined where an error is something else. */
export function explainFileError(error: unknown): Error | undefined {
  if (!isSystemError(error) || error.path === undefined || error.code === undefined) return undefined
  const [problem, fix] = written[error.code] ?? reasonOf(error.code)
  return fail('FILE_UNREADABLE', { path: error.path, problem, fix }, { cause: error })
}

/** The same as one part of a sentence about the file; what is no error of the system says itself. */
export function fileReason(error: unknown): string {
  if (!isSystemError(error) || error.code === undefined) return detailOf(error)
  const [problem, fix] = written[error.code] ?? reasonOf(error.code)
  return `it ${problem}; ${fix}`
}

/** Where a file was to be written as well as read. */
const written: Readonly<Record<string, readonly [string, string]>> = {
  ENOENT: ['is not there, or the folder for it is not', 'make it, or choose another place'],
  EISDIR: ['is a folder and no file', 'choose another place, or put a file there'],
  EEXIST: ['is there already, and no folder', 'move it away'],
  EACCES: ['is not for this user', 'give the user that runs agent the right to it'],
  EPERM: ['is not for this user', 'give the user that runs agent the right to it'],
  EROFS: ['lies where nothing can be written', 'choose another place'],
  ENOSPC: ['found no room on the disk', 'free some space'],
}

const closed: Readonly<Record<string, readonly [string, string]>> = {
  ENOENT: ['is a link to a file that is not there', 'correct or remove the link'],
  ELOOP: ['is a link that leads to itself', 'remove the link'],
  ENXIO: ['is a socket or a device and no file', 'put a text file in its place'],
  ENOTDIR: ['lies below something that is no folder', 'put a folder there'],
  EACCES: ['may not be read by this user', 'give the user that runs agent the right to read it'],
  EPERM: ['may not be read by this user', 'give the user that runs agent the right to read it'],
}

/** Files below /proc say that they are empty, and some never end. */
function readAtMost(file: number, { size }: Stats, mostBytes: number): Buffer | undefined {
  // One byte more than there should be: the read that finds the end needs room too.
  let bytes = Buffer.allocUnsafe(Math.max(size, leastRoom) + 1)
  for (let length = 0; length <= mostBytes; ) {
    if (length === bytes.length) bytes = Buffer.concat([bytes], 2 * length)
    const count = readSync(file, bytes, length, bytes.length - length, null)
    if (count === 0) return bytes.subarray(0, length)
    length += count
  }
  return undefined
}

function kindOf(about: Stats): string {
  if (about.isDirectory()) return 'a folder'
  if (about.isFIFO()) return 'a pipe'
  return about.isSocket() ? 'a socket' : 'a device'
}

/** From 1; a line that ends within a character is broken itself. */
function brokenLine(bytes: Buffer): number {
  let line = 1
  for (let start = 0; start < bytes.length; line++) {
    const next = bytes.indexOf(10, start)
    const end = next === -1 ? bytes.length : next
    if (!isUtf8(bytes.subarray(start, end))) return line
    start = end + 1
  }
  return line
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}
