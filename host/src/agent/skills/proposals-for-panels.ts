import type { Panel } from '@agent/plugin-sdk'
import { describeSkillChange, type SkillWriting } from '#skills/writing/skill-writing.ts'
import { describeOwner } from '#tools/memory/owner.ts'

type PanelProposals = Parameters<Panel['open']>[0]['skillProposals']

const longestDiff = 200_000

/** The changes of skills that wait, for a page of the dashboard: who sees that is the owner, who decides about those of everybody. */
export function proposalsForPanels({ pending, diff, approve }: Pick<SkillWriting, 'pending' | 'diff' | 'approve'>): PanelProposals {
  return {
    list: async () =>
      (await pending.list()).map(({ id, at, owner, change }) => ({
        id,
        at,
        for: describeOwner(owner),
        change: describeSkillChange(change),
      })),
    diff: async ({ id }) => {
      const text = await diff(id)
      return text.length > longestDiff ? `${text.slice(0, longestDiff)}\n… agent skills diff ${id} shows all of it.` : text
    },
    decide: async ({ id, to }) => {
      if (to === 'approve') return describeSkillChange((await approve(id)).change)
      const { change } = await pending.find(id)
      pending.remove(id)
      return describeSkillChange(change)
    },
  }
}
