import { expect } from 'vitest'
import type { Claim, Journal, NotedEnd } from '../journal.ts'
import type { Check } from './journal-place.ts'
import { messageOf } from './messages.ts'

const child = { session: 'ses_child', goal: 'count', spawned: 1 }
const end: NotedEnd = { status: 'completed', summary: '7', model: 'm', tokens: { input: 1, output: 2 }, apiCalls: 1, durationMs: 5 }

async function claimed(journal: Journal, owner = 'boot_a'): Promise<Claim> {
  const claim = await journal.claim(owner)
  if (!claim) throw new Error('nothing waits')
  return claim
}

/** What holds for child agents that work on behind a turn. */
export function childRules(check: Check): void {
  check('a place for a child blocks nobody until it is told, then it is claimed once, before what came later', async (journal) => {
    await journal.accept('irc', { ...messageOf('1'), media: [{ id: 'b', kind: 'image', mime: 'image/png', bytes: 1 }], deliver: 'local' })
    const parent = await claimed(journal)
    const place = await journal.keepPlace(parent, child)
    expect(place).toMatchObject({ child, attempts: 1, steps: [] })
    await journal.answer(parent, { outbound: [], turn: null })
    await journal.accept('irc', messageOf('2'))
    const second = await claimed(journal)
    expect(second.message.id).toBe('2')
    await journal.accept('irc', messageOf('3'))
    const rung: string[] = []
    journal.onWork((work) => rung.push(work))
    await journal.tellChild(place, { ...child, spawned: 4, end })
    expect(rung).toEqual(['inbox'])
    expect(await journal.claim('boot_a')).toBeNull()
    expect((await journal.waiting(second, 9)).map((each) => each.child?.session)).toEqual(['ses_child', undefined])
    await journal.answer(second, { outbound: [], turn: null })
    const told = await claimed(journal)
    expect(told.child).toEqual({ ...child, spawned: 4, end })
    const { sender, conversation } = messageOf('1')
    expect(told.message).toEqual({ ...{ id: '1', account: 'bot', sender, conversation, text: '', addressed: true }, deliver: 'local' })
    await expect(journal.tellChild(place, { ...child, end })).rejects.toMatchObject({ code: 'CLAIM_LOST' })
    await journal.answer(told, { outbound: [], turn: null })
    expect((await claimed(journal)).message.id).toBe('3')
  })

  check('a child that its owner takes into death, or gives back, is told without an end; one that was told keeps it', async (journal) => {
    await journal.accept('irc', messageOf('1'))
    const parent = await claimed(journal)
    const places = [await journal.keepPlace(parent, child), await journal.keepPlace(parent, { ...child, session: 'ses_other' })]
    if (places[1]) await journal.tellChild(places[1], { ...child, session: 'ses_other', end })
    await journal.answer(parent, { outbound: [], turn: null })
    await journal.recover('boot_b', { alone: true })
    for (const due of [
      { session: 'ses_other', end },
      { session: 'ses_child', end: undefined },
    ]) {
      const told = await claimed(journal, 'boot_b')
      expect([told.child?.session, told.child?.end]).toEqual([due.session, due.end])
      await journal.answer(told, { outbound: [], turn: null })
    }
    expect(await journal.claim('boot_b')).toBeNull()
  })

  check('only who works on a message keeps a place behind it, one for each child', async (journal) => {
    await journal.accept('irc', messageOf('1'))
    const parent = await claimed(journal)
    await journal.keepPlace(parent, child)
    await expect(journal.keepPlace(parent, child)).rejects.toMatchObject({ code: 'INTERNAL' })
    await journal.recover('boot_b', { alone: true })
    await expect(journal.keepPlace(parent, { ...child, session: 'ses_2' })).rejects.toMatchObject({ code: 'CLAIM_LOST' })
  })

  check('no platform hands in a message that passes for a child, and a failure names the task', async (journal) => {
    await journal.accept('irc', { ...messageOf('1'), child: { ...child, end } } as never)
    const parent = await claimed(journal)
    expect(parent.child).toBeUndefined()
    expect(parent.message).toEqual(messageOf('1'))
    const place = await journal.keepPlace(parent, child)
    await journal.answer(place, { outbound: [], turn: null, state: 'failed', error: { code: 'INTERNAL', params: { detail: 'x' } } })
    expect(await journal.failures(1)).toMatchObject([{ text: 'count', sender: 'alice' }])
  })
}
