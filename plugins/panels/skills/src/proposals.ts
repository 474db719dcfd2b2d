import type { Panel, PanelAnswer, PanelRequest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'

type Proposals = Parameters<Panel['open']>[0]['skillProposals']

/** What the agent wants to change in skills, and what a person decides about it. */
export function createProposalMethods(proposals: Proposals): Readonly<Record<string, (request: PanelRequest) => Promise<PanelAnswer>>> {
  return {
    proposals: async () => ({ rows: await proposals.list() }),
    proposal: async ({ item = '' }) => {
      const found = (await proposals.list()).find(({ id }) => id === item)
      if (!found) throw fail('SKILL_PENDING_UNKNOWN', { id: item })
      return { item: found }
    },
    difference: async ({ item = '' }) => ({ text: asCode(await proposals.diff({ id: item })) }),
    approve: async ({ item = '' }) => ({ said: `It is done: ${await proposals.decide({ id: item, to: 'approve' })}.` }),
    reject: async ({ item = '' }) => ({ said: `It is dropped: ${await proposals.decide({ id: item, to: 'reject' })}.` }),
  }
}

/** Indented text is code whatever it holds, also where it holds a fence. */
function asCode(patch: string): string {
  if (patch.trim() === '') return 'It would make nothing different.'
  return patch.trimEnd().replaceAll(/^/gm, '    ')
}
