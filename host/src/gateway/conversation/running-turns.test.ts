import { expect, test } from 'vitest'
import type { Claim } from '#store/journal.ts'
import { createRunningTurns } from './running-turns.ts'

const place = { account: 'bot', conversation: { id: 'room', kind: 'group' } } as const
const claimOf = (platform = 'talk', more: object = {}): Claim => ({ platform, message: { ...place, ...more } }) as unknown as Claim

test('what runs in a conversation is listed until it ends, apart from others', async () => {
  const running = createRunningTurns(() => 7)
  const { signal } = new AbortController()
  const turn = running.begin(claimOf(), { sessionKey: 'k' }, signal)
  running.begin(claimOf('irc'), { sessionKey: 'k' }, signal)
  running.begin(claimOf('talk', { account: 'second' }), { sessionKey: 'k' }, signal)
  running.begin(claimOf('talk', { conversation: { id: 'elsewhere', kind: 'group' } }), { sessionKey: 'k' }, signal)
  expect(running.inConversation('talk', place)).toEqual([turn])
  expect(turn).toMatchObject({ startedAt: 7, background: false, gathering: false, session: undefined })
  turn.end()
  await turn.ended
  expect(running.inConversation('talk', place)).toEqual([])
})

test('a turn is interrupted by itself or by the end of the gateway, and no more once it is over', () => {
  const running = createRunningTurns(() => 0)
  const stop = new AbortController()
  const [one, other, past] = [0, 1, 2].map(() => running.begin(claimOf(), { sessionKey: 'k', background: true }, stop.signal))
  one?.interrupt()
  expect([one?.signal.aborted, one?.signal.reason, other?.signal.aborted]).toEqual([
    true,
    expect.objectContaining({ code: 'INTERRUPTED' }),
    false,
  ])
  expect(other?.background).toBe(true)
  past?.end()
  stop.abort()
  expect([other?.signal.aborted, past?.signal.aborted]).toEqual([true, false])
})
