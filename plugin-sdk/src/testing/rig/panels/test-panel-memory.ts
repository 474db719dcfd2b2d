import { fail } from '../../../contract/errors.ts'
import type { MemoryBlock, MemoryChange } from '../../../contract/memory.ts'
import type { PanelHost } from '../../../contract/panel.ts'

/** One entry about the person, and none of the agent's own. */
export function createPanelMemory(need: () => void): PanelHost['memory'] {
  const entries: Record<MemoryBlock['target'], readonly string[]> = { user: ['Likes tea.'], memory: [] }
  const without = ({ target, ...change }: MemoryChange): readonly string[] => {
    if (change.action === 'add') return entries[target]
    if (!entries[target].includes(change.old)) throw fail('MEMORY_UNCHANGED', { problem: 'no entry has that text' })
    return entries[target].filter((entry) => entry !== change.old)
  }
  return {
    blocks: async () => {
      need()
      return (['user', 'memory'] as const).map((target) => ({ target, entries: entries[target], limit: 1000 }))
    },
    change: async (change) => {
      need()
      entries[change.target] = [...without(change), ...(change.action === 'remove' ? [] : [change.text])]
    },
  }
}

/** Two changes that wait. */
export function createMemoryProposals(need: () => void): PanelHost['memoryProposals'] {
  const at = 1_700_000_000_000
  let waiting = [
    { id: 'mem_1', at, for: 'you', change: 'add to user: Has a cat.' },
    { id: 'mem_2', at, for: 'the person ann on sms', change: 'remove from memory: It rains.' },
  ]
  return {
    list: async () => {
      need()
      return waiting
    },
    decide: async ({ id }) => {
      need()
      const found = waiting.find((each) => each.id === id)
      if (!found) throw fail('MEMORY_PENDING_UNKNOWN', { id })
      waiting = waiting.filter((each) => each !== found)
      return found.change
    },
  }
}
