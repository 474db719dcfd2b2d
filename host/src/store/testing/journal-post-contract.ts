import { expect } from 'vitest'
import type { Check } from './journal-place.ts'

const room = { platform: 'irc', account: 'bot', conversation: '#a' }

/** What holds for a post before anything of it has left. */
export function partRules(check: Check): void {
  check('a post is rung for, also where it is the first thing in the store', async (journal) => {
    const rung: string[] = []
    journal.onWork((work) => rung.push(work))
    await journal.post(room, [{ text: 'a' }], 'msg_1')
    expect(rung).toEqual(['outbox'])
  })

  check('what became of a post is told in the order of its parts', async (journal) => {
    const parts = Array.from({ length: 12 }, (_, at) => ({ text: `${at}` }))
    await journal.post(room, parts, 'msg_1')
    expect((await journal.posted('msg_1')).map(({ part }) => part)).toEqual(parts.map((_, at) => at))
  })
}
