import { closeSync, fstatSync, mkdirSync, openSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'

export interface LogFile {
  /** Keeps the line for the end of this turn of the event loop; urgent ones are written at once. */
  write(line: string, options: { readonly urgent: boolean }): void
  flush(): void
  close(): void
}

export interface LogFileOptions {
  readonly path: string
  readonly maxBytes: number
  /** How many older files are kept: `agent.log.1` is the youngest. */
  readonly backups: number
}

const largestBuffer = 64 * 1024

/** Appends to a file that is made on the first line and set aside when it is full. A disk that takes nothing loses lines, never the program. */
export function openLogFile({ path, maxBytes, backups }: LogFileOptions): LogFile {
  let file: number | undefined
  let size = 0
  let buffer = ''
  let closed = false
  let waiting: NodeJS.Immediate | undefined

  const open = (): number => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    file = openSync(path, 'a', 0o600)
    size = fstatSync(file).size
    return file
  }
  const release = (): void => {
    if (file !== undefined) closeSync(file)
    file = undefined
  }
  const makeRoom = (): void => {
    if (file === undefined) open()
    if (size < maxBytes) return
    release()
    // Another process may have set the file aside already: what stands there now decides.
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= maxBytes) rotate(path, backups)
    open()
  }
  const flush = (): void => {
    if (waiting) clearImmediate(waiting)
    waiting = undefined
    if (buffer === '') return
    const text = buffer
    buffer = ''
    try {
      makeRoom()
      if (file !== undefined) size += writeSync(file, text)
    } catch {
      // There is nowhere left to report to; the next line tries again with a fresh handle.
      release()
    }
  }
  return {
    write(line, { urgent }) {
      if (closed) return
      buffer += line
      if (urgent || buffer.length > largestBuffer) flush()
      else waiting ??= setImmediate(flush)
    },
    flush,
    close() {
      flush()
      closed = true
      release()
    },
  }
}

function rotate(path: string, backups: number): void {
  if (backups === 0) rmSync(path)
  for (let number = backups; number > 0; number--) {
    const from = number === 1 ? path : `${path}.${number - 1}`
    if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${path}.${number}`)
  }
}
