import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { inflateSync } from 'node:zlib'
import { fail } from '@agent/plugin-sdk/errors'
import type { BytesPath } from './bytes-path.ts'
import type { CheckpointStore } from './open-store.ts'
import { objectPath } from './write-object.ts'

/** A file, a link or a folder in a folder of the store. */
export interface TreeEntry {
  /** In octal, as git writes it: `100644`, `100755`, `120000`, `40000`. */
  readonly mode: string
  readonly name: BytesPath
  readonly object: string
}

/** Reads folders of the store, as many as there are. */
export interface TreeReader {
  read(names: readonly string[]): Promise<readonly (readonly TreeEntry[])[]>
  close(): Promise<void>
}

/** A folder that stands in a file is read from it; one git, which waits for names, reads those that are packed. */
export function openTreeReader(store: Pick<CheckpointStore, 'repository' | 'stream'>, signal: AbortSignal): TreeReader {
  let packed: PackedReader | undefined
  const readPacked = (name: string): Promise<Buffer> => {
    packed ??= openPackedReader(store, signal)
    return packed.read(name)
  }
  return {
    read: async (names) => {
      const found: (readonly TreeEntry[])[] = []
      for (const name of names) found.push(parseTree(readLoose(store.repository, name) ?? (await readPacked(name))))
      return found
    },
    close: async () => packed?.close(),
  }
}

/** What the file of an object holds behind its head; undefined where it has no file. */
function readLoose(repository: string, name: string): Buffer | undefined {
  try {
    const whole = inflateSync(readFileSync(join(repository, objectPath(name))))
    if (whole.toString('latin1', 0, 5) === 'tree ') return whole.subarray(whole.indexOf(0) + 1)
  } catch {
    // Packed, or spoilt, which git explains.
  }
  return undefined
}

interface PackedReader {
  read(name: string): Promise<Buffer>
  close(): Promise<void>
}

function openPackedReader(store: Pick<CheckpointStore, 'stream'>, signal: AbortSignal): PackedReader {
  const wanted = new PassThrough()
  const printed = store.stream(['cat-file', '--batch'], { signal, input: wanted })[Symbol.asyncIterator]()
  let held = Buffer.alloc(0)
  const more = async (): Promise<void> => {
    const { done, value } = await printed.next()
    if (done) throw fail('CHECKPOINTS_UNUSABLE', { problem: 'git ended before it had read a folder' })
    held = Buffer.concat([held, value])
  }
  return {
    read: async (name) => {
      wanted.write(`${name}\n`)
      while (!held.includes(0x0a)) await more()
      const line = held.toString('latin1', 0, held.indexOf(0x0a))
      const [, size] = /^[0-9a-f]+ tree (\d+)$/.exec(line) ?? []
      if (size === undefined) throw fail('CHECKPOINTS_UNUSABLE', { problem: `a folder cannot be read: ${line}` })
      const [start, end] = [line.length + 1, line.length + 1 + Number(size)]
      while (held.length <= end) await more()
      const bytes = held.subarray(start, end)
      held = held.subarray(end + 1)
      return bytes
    },
    close: async () => {
      wanted.end()
      await printed.return?.(undefined)
    },
  }
}

const nameBytes = 20

function parseTree(bytes: Buffer): readonly TreeEntry[] {
  const entries: TreeEntry[] = []
  for (let at = 0; at < bytes.length; ) {
    const [space, zero] = [bytes.indexOf(0x20, at), bytes.indexOf(0, at)]
    const end = zero + 1 + nameBytes
    entries.push({
      mode: bytes.toString('latin1', at, space),
      name: bytes.toString('latin1', space + 1, zero),
      object: bytes.toString('hex', zero + 1, end),
    })
    at = end
  }
  return entries
}

/** The bytes of a folder as git wants them: in the order of the names, where a folder's ends in `/`. */
export function formatTree(entries: Iterable<TreeEntry>): Buffer {
  const key = ({ mode, name }: TreeEntry): string => (mode === folderMode ? `${name}/` : name)
  const sorted = [...entries].sort((a, b) => (key(a) < key(b) ? -1 : 1))
  return Buffer.concat(sorted.flatMap(({ mode, name, object }) => [Buffer.from(`${mode} ${name}\0`, 'latin1'), Buffer.from(object, 'hex')]))
}

export const folderMode = '40000'
