import { expect } from 'vitest'
import type { Claim, ClaimedSend, Journal } from '../journal.ts'
import type { Check } from './journal-place.ts'
import { messageOf } from './messages.ts'

const room = { platform: 'irc', account: 'bot', conversation: '#a' }

/** What a journal promises about messages and sends that failed. */
export function failureRules(check: Check): void {
  check('what failed is listed with its reason until it is forgotten, newest first', async (journal, place) => {
    const error = { code: 'MODEL_AUTH', params: { provider: 'p', detail: '401' } }
    for (const id of ['1', '2', '3']) await journal.accept('irc', messageOf(id, { text: `text ${id}` }))
    await journal.answer(await claimed(journal), { outbound: [{ text: 'It did not work.' }], turn: null, error })
    place.clock.time += 1
    await journal.answer(await claimed(journal), { outbound: [{ text: 'an answer' }], turn: null })
    await journal.settleSend(await claimedSend(journal), { status: 'sent', platformId: 'p' })
    const refused = { code: 'SEND_REFUSED', params: { platform: 'irc', detail: 'no' } }
    await journal.settleSend(await claimedSend(journal), { status: 'refused', error: refused })
    place.clock.time += 1
    await journal.answer(await claimed(journal), { outbound: [], turn: null, state: 'failed', error })
    const at = place.clock.time
    expect(await journal.failures(9)).toMatchObject([
      { type: 'turn', ...room, text: 'text 3', error, at },
      { type: 'send', ...room, text: 'an answer', sender: '', error: refused, at: at - 1 },
      { type: 'turn', ...room, text: 'text 1', error, at: at - 2 },
    ])
    expect(await journal.failures(1)).toMatchObject([{ text: 'text 3' }])
    await journal.prune(at + 1)
    expect(await journal.failures(9)).toEqual([])
  })
}

async function claimed(journal: Journal): Promise<Claim> {
  const claim = await journal.claim('boot_a')
  if (!claim) throw new Error('nothing waits')
  return claim
}

async function claimedSend(journal: Journal): Promise<ClaimedSend> {
  const send = await journal.claimSend('boot_a')
  if (!send) throw new Error('nothing is to be sent')
  return send
}
