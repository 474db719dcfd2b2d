import { PassThrough } from 'node:stream'
import { fail } from '@agent/plugin-sdk/errors'
import type { BytesPath } from './bytes-path.ts'
import type { CheckpointStore } from './open-store.ts'

/** A file, a link or a folder in a folder of the store. */
export interface TreeEntry {
  /** In octal, as git writes it: `100644`, `100755`, `120000`, `40000`. */
  readonly mode: string
  readonly name: BytesPath
  readonly object: string
}

/** Reads folders of the store, as many as there are, by one git that waits for their names. */
export interface TreeReader {
  read(names: readonly string[]): Promise<readonly (readonly TreeEntry[])[]>
  close(): Promise<void>
}

export function openTreeReader(store: Pick<CheckpointStore, 'stream'>, signal: AbortSignal): TreeReader {
  const wanted = new PassThrough()
  const printed = store.stream(['cat-file', '--batch'], { signal, input: wanted })[Symbol.asyncIterator]()
  let held = Buffer.alloc(0)
  const more = async (): Promise<void> => {
    const { done, value } = await printed.next()
    if (done) throw fail('CHECKPOINTS_UNUSABLE', { problem: 'git ended before it had read a folder' })
    held = Buffer.concat([held, value])
  }
  const take = async (): Promise<Buffer> => {
    while (!held.includes(0x0a)) await more()
    const line = held.toString('latin1', 0, held.indexOf(0x0a))
    const [, size] = /^[0-9a-f]+ tree (\d+)$/.exec(line) ?? []
    if (size === undefined) throw fail('CHECKPOINTS_UNUSABLE', { problem: `a folder cannot be read: ${line}` })
    const [start, end] = [line.length + 1, line.length + 1 + Number(size)]
    while (held.length <= end) await more()
    const bytes = held.subarray(start, end)
    held = held.subarray(end + 1)
    return bytes
  }
  return {
    read: async (names) => {
      wanted.write(names.map((name) => `${name}\n`).join(''))
      const found: (readonly TreeEntry[])[] = []
      for (const _ of names) found.push(parseTree(await take()))
      return found
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
