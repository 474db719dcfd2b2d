import { fail } from '@agent/plugin-sdk/errors'
import { expect, test } from 'vitest'
import type { ToolTurn } from '../tool-turn.ts'
import { profileOwner } from './owner.ts'
import { type SkillChanges, skillsOf } from './skill-verb.ts'

type How = Parameters<SkillChanges['change']>[1]

const change = { action: 'delete', skill: 'tea' } as const

/** How a change is asked for in such a turn. */
async function howIn(turn: Partial<ToolTurn>): Promise<How> {
  const heard: How[] = []
  const changes: SkillChanges = {
    change: async (_, how) => {
      heard.push(how)
      return {}
    },
  }
  const signal = new AbortController().signal
  await skillsOf(changes, { owner: profileOwner, session: 'ses_1', canAnswer: true, signal, ...turn } as ToolTurn).change(change)
  return heard[0] as How
}

const shown = { line: 'delete the skill tea', diff: 'x'.repeat(5000), reason: 'because' }

test('only the owner of the profile is asked, where somebody can answer', async () => {
  expect(await howIn({})).toMatchObject({ owner: profileOwner, session: 'ses_1', isProfile: true, ask: expect.any(Function) })
  expect(await howIn({ owner: 'person:talk:eve' })).toMatchObject({ isProfile: false, ask: undefined })
  expect(await howIn({ canAnswer: false })).toMatchObject({ isProfile: true, ask: undefined })
})

test('a question shows the beginning of a long change; an answer that does not come in time is none', async () => {
  const subjects: string[] = []
  const approve: ToolTurn['approve'] = async ({ subject }) => {
    subjects.push(subject)
    return 'once'
  }
  expect(await (await howIn({ approve })).ask?.(shown)).toBe('yes')
  expect(subjects[0]).toMatch(/^delete the skill tea\nx{4000}\n… and more$/)
  expect(await (await howIn({ approve: async () => 'deny' })).ask?.(shown)).toBe('no')
  const late = (await howIn({ approve: () => Promise.reject(fail('TIMED_OUT', { what: 'the approval', ms: 1 })) })).ask?.(shown)
  expect(await late).toBe('nobody')
})
