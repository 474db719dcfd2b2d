import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import type { PendingSkill } from '#skills/writing/parse-pending.ts'
import { profileOwner } from '#tools/memory/owner.ts'
import { proposalsForPanels } from './proposals-for-panels.ts'

const waiting: PendingSkill = {
  ...{ id: 'skl_1', owner: profileOwner, at: 5, session: 'ses_1', before: null },
  change: { action: 'delete', skill: 'tea' },
}

function open(diff = 'a patch') {
  const done: string[] = []
  const find = async (id: string): Promise<PendingSkill> => {
    if (id !== waiting.id) throw fail('SKILL_PENDING_UNKNOWN', { id })
    return waiting
  }
  const proposals = proposalsForPanels({
    pending: { list: async () => [waiting], find, remove: (id) => void done.push(`drop ${id}`), add: async () => '' },
    diff: async (id) => `${id}: ${diff}`,
    approve: async (id) => {
      done.push(`make ${id}`)
      return find(id)
    },
  })
  return { done, proposals }
}

test('changes that wait are listed with for whom, shown, made and dropped', async () => {
  const { done, proposals } = open()
  expect(await proposals.list()).toEqual([{ id: 'skl_1', at: 5, for: expect.any(String), change: 'delete the skill tea' }])
  expect(await proposals.diff({ id: 'skl_1' })).toBe('skl_1: a patch')
  expect(await proposals.decide({ id: 'skl_1', to: 'approve' })).toBe('delete the skill tea')
  expect(await proposals.decide({ id: 'skl_1', to: 'reject' })).toBe('delete the skill tea')
  expect(done).toEqual(['make skl_1', 'drop skl_1'])
})

test('what waits no more is not dropped, and a long patch is cut where it says so', async () => {
  const { done, proposals } = open('x'.repeat(300_000))
  await expect(proposals.decide({ id: 'skl_2', to: 'reject' })).rejects.toMatchObject({ code: 'SKILL_PENDING_UNKNOWN' })
  expect(done).toEqual([])
  expect(await proposals.diff({ id: 'skl_1' })).toMatch(/x\n… agent skills diff skl_1 shows all of it\.$/)
})
