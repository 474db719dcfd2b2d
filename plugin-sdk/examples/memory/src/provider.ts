import type { Context, MemoryBlock, MemoryOwner, MemoryProvider } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import { applyChange, findEntries } from './notes.ts'

const provider: MemoryProvider<Config> = {
  async open({ state, config }: Context<Config>) {
    // The key of the owner is part of every key: nothing of one owner reaches another.
    const keyOf = ({ key }: MemoryOwner, target: MemoryBlock['target']): string => `${target}/${key}`
    const read = async (owner: MemoryOwner, target: MemoryBlock['target']): Promise<MemoryBlock> => {
      const entries = ((await state.get(keyOf(owner, target))) ?? []) as readonly string[]
      return { target, entries, limit: config.limit }
    }
    let last: Promise<unknown> = Promise.resolve()
    return {
      snapshot: (owner) => Promise.all([read(owner, 'memory'), read(owner, 'user')]),
      change: (owner, change) => {
        // One after the other: each begins with what the one before it left.
        const next = last.then(async () => {
          const before = await read(owner, change.target)
          const after = { ...before, entries: applyChange(before, change) }
          await state.set(keyOf(owner, change.target), after.entries)
          return after
        })
        last = next.catch(() => undefined)
        return next
      },
      recall: async (owner, query) => {
        const blocks = await Promise.all([read(owner, 'memory'), read(owner, 'user')])
        return findEntries(
          blocks.flatMap(({ entries }) => entries),
          query,
        ).map((text) => ({ text }))
      },
    }
  },
}

export default provider
