import type { Panel } from '@agent/plugin-sdk'
import { createCall } from '#kernel/calls/call.ts'
import { describeChange } from '#tools/memory/call-verbs.ts'
import type { HostMemory } from '#tools/memory/memory.ts'
import { describeOwner, profileOwner } from '#tools/memory/owner.ts'

type PanelMemory = Pick<Parameters<Panel['open']>[0], 'memory' | 'memoryProposals'>

export type PanelMemoryParts = Pick<HostMemory, 'blocks' | 'change' | 'approve' | 'pending' | 'targets'>

/** The memory for a page of the dashboard: who sees that is the owner, who decides about the changes of everybody. */
export function memoryForPanels({ blocks, change, approve, pending, targets }: PanelMemoryParts, signal: AbortSignal): PanelMemory {
  return {
    memory: {
      blocks: async () => (targets().length === 0 ? [] : await blocks(profileOwner, createCall(signal))),
      // Who asks is the person whose approval others wait for.
      change: async (wanted) =>
        void (await change(profileOwner, wanted, { call: createCall(signal), session: '', ask: async () => 'yes' })),
    },
    memoryProposals: {
      list: async () =>
        (await pending.list()).map(({ id, at, owner, change }) => ({ id, at, for: describeOwner(owner), change: describeChange(change) })),
      decide: async ({ id, to }) => {
        const { change } = await pending.find(id)
        if (to === 'approve') await approve(id, createCall(signal))
        else pending.remove(id)
        return describeChange(change)
      },
    },
  }
}
