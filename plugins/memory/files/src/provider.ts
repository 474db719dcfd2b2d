import { join } from 'node:path'
import type { Call, Context, MemoryBlock, MemoryOwner, MemoryProvider } from '@agent/plugin-sdk'
import type { Config } from './config.ts'
import { applyChange, formatEntries, parseEntries } from './entries.ts'
import { changeMemoryFile, readMemoryFile } from './memory-file.ts'

const names: Readonly<Record<MemoryBlock['target'], string>> = { memory: 'MEMORY.md', user: 'USER.md' }

const provider: MemoryProvider<Config> = {
  async open({ config, clock }: Context<Config>) {
    const limits = { memory: config.memory_char_limit, user: config.user_char_limit }
    const fileOf = ({ folder }: MemoryOwner, target: MemoryBlock['target']): string => join(folder, names[target])
    const blockOf = (target: MemoryBlock['target'], text: string): MemoryBlock => ({
      ...{ target, entries: parseEntries(text), limit: limits[target] },
    })
    return {
      snapshot: async (owner) =>
        Promise.all((['memory', 'user'] as const).map(async (target) => blockOf(target, await readMemoryFile(fileOf(owner, target))))),
      change: async (owner, change, { signal }: Call) => {
        const { target } = change
        let after = blockOf(target, '')
        await changeMemoryFile(fileOf(owner, target), { clock, signal }, (text) => {
          const before = blockOf(target, text)
          const entries = applyChange(before, change)
          after = { ...before, entries }
          // What changes nothing leaves a person's spaces and lines as they are.
          return JSON.stringify(entries) === JSON.stringify(before.entries) ? text : formatEntries(entries)
        })
        return after
      },
    }
  },
}

export default provider
