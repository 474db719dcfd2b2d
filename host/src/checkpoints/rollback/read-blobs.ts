import { fail } from '@agent/plugin-sdk/errors'
import type { TreeChange } from '../store/diff-trees.ts'
import type { FolderStore } from '../store/open-store.ts'

export interface HeldFile {
  readonly change: TreeChange
  readonly bytes: Buffer
}

/** What files held, one after the other, so that not all of it is in memory at once. */
export async function* readBlobs(
  { store }: Pick<FolderStore, 'store'>,
  files: readonly TreeChange[],
  signal: AbortSignal,
): AsyncGenerator<HeldFile> {
  if (files.length === 0) return
  const input = Buffer.from(files.map(({ blob }) => `${blob}\n`).join(''))
  const source = store.stream(['cat-file', '--batch', '--buffer'], { signal, input })[Symbol.asyncIterator]()
  let rest: Buffer = Buffer.alloc(0)
  const more = async (): Promise<void> => {
    const { value, done } = await source.next()
    if (done) throw fail('CHECKPOINTS_UNUSABLE', { problem: 'the store ends early' })
    rest = Buffer.concat([rest, value])
  }
  try {
    for (const change of files) {
      while (!rest.includes(10)) await more()
      const end = rest.indexOf(10)
      const [, type, size = ''] = rest.toString('latin1', 0, end).split(' ')
      if (type !== 'blob') throw fail('CHECKPOINTS_UNUSABLE', { problem: 'the store has lost what a file held' })
      const length = Number(size)
      const chunks = [rest.subarray(end + 1)]
      let have = rest.length - end - 1
      while (have < length + 1) {
        const { value, done } = await source.next()
        if (done) throw fail('CHECKPOINTS_UNUSABLE', { problem: 'the store ends early' })
        chunks.push(value)
        have += value.length
      }
      const all = Buffer.concat(chunks)
      rest = all.subarray(length + 1)
      yield { change, bytes: all.subarray(0, length) }
    }
  } finally {
    await source.return?.()
  }
}
