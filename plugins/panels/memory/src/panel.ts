import type { Panel, PanelAnswer, PanelRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

type Host = Parameters<Panel['open']>[0]
type Block = Awaited<ReturnType<Host['memory']['blocks']>>[number]
type Method = (request: PanelRequest) => Promise<PanelAnswer>

interface Entry {
  readonly target: Block['target']
  readonly text: string
}

const panel: Panel = {
  async open({ memory, memoryProposals }) {
    /** What a page has changed goes by its old id too, until the panel ends: the page is still there. */
    const moved = new Map<string, string>()
    const list = async (): Promise<readonly Entry[]> =>
      (await memory.blocks()).flatMap(({ target, entries }) => entries.map((text) => ({ target, text })))
    const find = async (item = ''): Promise<Entry> => {
      let id = item
      for (let next = moved.get(id); next !== undefined; next = moved.get(id)) id = next
      const found = (await list()).find((entry) => idOf(entry) === id)
      if (found) return found
      throw fail('MEMORY_UNCHANGED', { problem: 'the entry is not there any more, or not as the page has shown it' })
    }
    const methods: Readonly<Record<string, Method>> = {
      entries: async () => ({ rows: (await list()).map((entry) => ({ ...entry, id: idOf(entry) })) }),
      entry: async ({ item }) => ({ item: { ...(await find(item)) } }),
      given: async ({ item }) => ({ values: { text: (await find(item)).text } }),
      use: async () => ({ rows: (await memory.blocks()).map(({ target, ...block }) => ({ target, used: useOf(block) })) }),
      add: async ({ input }) => {
        await memory.change({ action: 'add', target: input.target as Block['target'], text: String(input.text).trim() })
        return { said: 'It is remembered.' }
      },
      change: async ({ item, input }) => {
        const before = await find(item)
        const after = { target: before.target, text: String(input.text).trim() }
        await memory.change({ action: 'replace', ...after, old: before.text })
        moved.delete(idOf(after))
        if (after.text !== before.text) moved.set(idOf(before), idOf(after))
        return { said: 'It is changed.' }
      },
      remove: async ({ item }) => {
        const { target, text } = await find(item)
        await memory.change({ action: 'remove', target, old: text })
        return { said: 'It is forgotten.' }
      },
      waiting: async () => ({ rows: (await memoryProposals.list()).map((waiting) => ({ ...waiting })) }),
      approve: async ({ item = '' }) => ({ said: `Done: ${await memoryProposals.decide({ id: item, to: 'approve' })}` }),
      reject: async ({ item = '' }) => ({ said: `Dropped: ${await memoryProposals.decide({ id: item, to: 'reject' })}` }),
    }
    return { run: async (request) => (methods[request.method] as Method)(request) }
  },
}

export default panel

/** The whole entry: a button of an old page does nothing to what somebody else has written meanwhile. */
const idOf = ({ target, text }: Entry): string => `${target} ${text}`

/** Counted as the memory counts: with a line between two entries. */
function useOf({ entries, limit }: Pick<Block, 'entries' | 'limit'>): string {
  return `${[...entries.join('\n§\n')].length} of ${limit}`
}
