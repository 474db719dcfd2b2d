import { expect, test } from 'vitest'
import type { ConversationSessions, SessionSummary, Sessions } from '#store/sessions.ts'
import { openEarlier } from './earlier-sessions.ts'

function stage(isBusy = false) {
  const asked: ConversationSessions[] = []
  const reopened: string[] = []
  const found = [
    { id: 'ses_ab', title: 'Garden' },
    { id: 'ses_ac', title: null },
  ] as unknown as readonly SessionSummary[]
  const sessions: Pick<Sessions, 'list' | 'reopen'> = {
    list: async ({ of }) => {
      if (of) asked.push(of)
      return found
    },
    reopen: async (id) => reopened.push(id) > 0,
  }
  const earlier = openEarlier({ services: { sessions }, sessionKey: 'k', owner: 'ann', isBusy: () => isBusy })
  return { earlier, asked, reopened }
}

test('a session is named by its id, its title or the beginning of an id that no other has', async () => {
  const { earlier, asked, reopened } = stage()
  for (const reference of ['garden', 'ses_ac', 'SES_AB']) await earlier.goOn(reference)
  expect(reopened).toEqual(['ses_ab', 'ses_ac', 'ses_ab'])
  for (const reference of ['ses_a', 'else']) await expect(earlier.goOn(reference)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  expect(new Set(asked.map((of) => JSON.stringify(of)))).toEqual(new Set(['{"key":"k","owner":"ann"}']))
})

test('while something is answered the conversation stays where it is', async () => {
  const { earlier, reopened } = stage(true)
  expect(await earlier.goOn('garden')).toContain('/stop')
  expect(reopened).toEqual([])
})
