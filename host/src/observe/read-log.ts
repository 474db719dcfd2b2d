import { type FileHandle, open, stat } from 'node:fs/promises'
import type { Clock } from '@agent/plugin-sdk'

const piece = 64 * 1024
const newline = 10

export interface Tail {
  /** Oldest first; none where there is no file. */
  readonly lines: readonly string[]
  /** Where the file ended: following goes on from there. */
  readonly end: number
}

/** The last lines of a file. */
export async function readTail(path: string, count: number): Promise<Tail> {
  const file = await openIfThere(path)
  if (!file) return { lines: [], end: 0 }
  try {
    const end = (await file.stat()).size
    let start = count > 0 ? end : 0
    let found: Buffer = Buffer.alloc(0)
    while (start > 0 && countLines(found) <= count) {
      const length = Math.min(piece, start)
      start -= length
      const { buffer } = await file.read(Buffer.alloc(length), 0, length, start)
      found = Buffer.concat([buffer, found])
    }
    const lines = found.toString('utf8').split('\n')
    if (lines.at(-1) === '') lines.pop()
    return { lines: count > 0 ? lines.slice(-count) : [], end }
  } finally {
    await file.close()
  }
}

export interface FollowLogOptions {
  readonly path: string
  /** Offset of the first byte that is new. */
  readonly from: number
  readonly clock: Pick<Clock, 'sleep'>
  readonly signal: AbortSignal
  readonly pauseMs?: number
}

/** Lines that are written behind `from`, also after the file was set aside for a new one; ends when the signal fires. */
export async function* followLog({ path, from, clock, signal, pauseMs = 250 }: FollowLogOptions): AsyncGenerator<string> {
  let file = await openIfThere(path)
  let position = from
  let rest: Buffer = Buffer.alloc(0)
  try {
    while (!signal.aborted) {
      // Asked before reading: what was written before the file was set aside is still read from it.
      const replaced = file === undefined || (await isReplaced(path, file, position))
      for (;;) {
        const { bytesRead, buffer } = (await file?.read(Buffer.alloc(piece), 0, piece, position)) ?? { bytesRead: 0, buffer: rest }
        if (bytesRead === 0) break
        position += bytesRead
        const lines = splitLines(Buffer.concat([rest, buffer.subarray(0, bytesRead)]))
        rest = lines.rest
        yield* lines.whole
      }
      if (replaced) {
        const next = await openIfThere(path)
        if (next) {
          await file?.close()
          ;[file, position, rest] = [next, 0, Buffer.alloc(0)]
          continue
        }
      }
      await pause(clock, pauseMs, signal)
    }
  } finally {
    await file?.close()
  }
}

async function pause(clock: Pick<Clock, 'sleep'>, ms: number, signal: AbortSignal): Promise<void> {
  try {
    await clock.sleep(ms, signal)
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

async function isReplaced(path: string, file: FileHandle, position: number): Promise<boolean> {
  const [open, there] = await Promise.all([file.stat(), statIfThere(path)])
  return there !== undefined && (there.ino !== open.ino || there.dev !== open.dev || there.size < position)
}

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  return open(path, 'r').catch(undefinedIfMissing)
}

async function statIfThere(path: string): Promise<{ ino: number; dev: number; size: number } | undefined> {
  return stat(path).catch(undefinedIfMissing)
}

function undefinedIfMissing(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
  throw error
}

function splitLines(bytes: Buffer): { whole: string[]; rest: Buffer } {
  const end = bytes.lastIndexOf(newline)
  if (end === -1) return { whole: [], rest: bytes }
  return { whole: bytes.subarray(0, end).toString('utf8').split('\n'), rest: Buffer.from(bytes.subarray(end + 1)) }
}

function countLines(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) count++
  return count
}
