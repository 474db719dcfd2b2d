import { fail } from '../../../contract/errors.ts'
import type { PanelHost } from '../../../contract/panel.ts'

/** A child agent that works, one below it, and one that has ended. */
export function createPanelAgents(need: () => void): PanelHost['agents'] {
  const about = { parent: 'ses_talk', title: 'A talk', startedAt: 1_700_000_000_000, model: 'small', doing: '', calls: 0, tokens: 12 }
  let all = [
    { ...about, session: 'ses_3', parent: 'ses_2', title: '', task: 'read one', state: 'works', doing: 'read_file a.txt', calls: 1 },
    { ...about, session: 'ses_2', task: 'read all', state: 'works' },
    { ...about, session: 'ses_1', task: 'count', state: 'completed' },
  ]
  return {
    list: async () => {
      need()
      return all
    },
    stop: async (session) => {
      need()
      if (!all.some((each) => each.session === session && each.state === 'works')) throw fail('DELEGATION_ENDED', { session })
      all = all.map((each) => (each.session === session ? { ...each, state: 'interrupted' } : each))
    },
  }
}
