import { expect, test } from 'vitest'
import { silentLog } from '#observe/silent-log.ts'
import type { Claim } from '#store/journal.ts'
import type { Session } from '#store/sessions.ts'
import { messageOf } from '#store/testing/messages.ts'
import { createInterrupt } from './interrupt-turns.ts'
import { createRunningTurns } from './running-turns.ts'

const message = messageOf('1')
const claim = { platform: 'talk', message, seq: 1 } as Claim

function open() {
  const running = createRunningTurns(() => 0)
  const { signal } = new AbortController()
  const ended: string[] = []
  const errors: unknown[] = []
  const log = { ...silentLog, error: (_: string, fields: unknown) => errors.push(fields) }
  const sessions = {
    find: async (id: string) => (id === 'none' ? undefined : ({ id, endedAt: id === 'over' ? 5 : null } as Session)),
    end: async (id: string, reason: string) => {
      if (id === 'stuck') throw new Error('no')
      ended.push(`${id} ${reason}`)
    },
  }
  const begin = (sessionKey: string, background = false, about = claim) => running.begin(about, { sessionKey, background }, signal)
  const interrupt = (isAdmin: boolean, endSession: boolean) =>
    createInterrupt({ running, sessions, isAdmin, log }, 'talk', message, 'mine')({ endSession })
  return { running, ended, errors, begin, interrupt }
}

test('a person stops what runs for them, in the background too; an admin what runs for others', () => {
  const { begin, interrupt } = open()
  const turns = [begin('mine'), begin('mine:background:1', true), begin('mineral'), begin('yours')]
  expect(interrupt(false, false)).toBe(true)
  expect(turns.map(({ signal }) => signal.aborted)).toEqual([true, true, false, false])
  for (const turn of turns.slice(0, 2)) turn.end()
  expect(interrupt(false, false)).toBe(false)
  expect(interrupt(true, false)).toBe(true)
  expect(turns[3]?.signal.aborted).toBe(true)
})

test('a new session ends the one that began with the turn, once that is stored, and leaves the background alone', async () => {
  const { begin, interrupt, ended } = open()
  const [turn, background, other] = [begin('mine'), begin('mine:background:1', true), begin('yours')]
  expect(interrupt(true, true)).toBe(true)
  expect([turn, background, other].map(({ signal }) => signal.aborted)).toEqual([true, false, false])
  turn.session = 'ses_1'
  expect(ended).toEqual([])
  turn.end()
  await expect.poll(() => ended).toEqual(['ses_1 new'])
})

test.each(['over', 'none', undefined])('a session that is %s needs no end', async (session) => {
  const { begin, interrupt, ended, errors } = open()
  const turn = begin('mine')
  turn.session = session
  interrupt(false, true)
  turn.end()
  await turn.ended
  await new Promise((resolve) => setImmediate(resolve))
  expect([ended, errors]).toEqual([[], []])
})

test('a session that cannot be ended is in the log', async () => {
  const { begin, interrupt, errors } = open()
  const turn = begin('mine')
  turn.session = 'stuck'
  interrupt(false, true)
  turn.end()
  await expect.poll(() => errors).toEqual([{ session: 'stuck', error: 'Error: no' }])
})

test('a session goes on after what ran in it was only stopped', async () => {
  const { begin, interrupt, ended } = open()
  const turn = begin('mine')
  turn.session = 'ses_1'
  interrupt(false, false)
  turn.end()
  await turn.ended
  await new Promise((resolve) => setImmediate(resolve))
  expect(ended).toEqual([])
})

test('what runs elsewhere goes on', () => {
  const { running, begin } = open()
  begin('mine')
  const found = (platform: string, account: string, id: string): number =>
    running.inConversation(platform, { account, conversation: { id, kind: 'dm' } }).length
  const { account, conversation } = message
  expect([
    found('talk', account, conversation.id),
    found('other', account, conversation.id),
    found('talk', 'second', conversation.id),
    found('talk', account, 'elsewhere'),
  ]).toEqual([1, 0, 0, 0])
})
