// @module-tag server
import type { TurnEvent } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import {
  boatOf,
  countBreaks,
  isTold,
  openLongTalk,
  startTalkModel,
  useTalkModel,
  writePiers,
} from '../../../../test/support/chats/long-talk.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'

test('a conversation of 400 turns stays inside a window of 32,000 tokens, and everything said in it is found', async () => {
  using home = openTestHome()
  await using model = await startTalkModel({ rules: { strictRoles: true } })
  useTalkModel(home, model, 'store: { durability: process }\nmemory: { provider: recall }\n')
  writePiers(home.work)
  await using talk = await openLongTalk(home)
  const events: TurnEvent[] = []
  for (let turn = 1; turn <= 400; turn++) events.push(...(await talk.say(turn)))
  const { sessions } = talk.agent.store
  const session = await sessions.byKey('talk')
  // The model refuses what does not fit, a call without a result, a result without a call, and roles that do not alternate.
  expect(events.filter(({ type }) => type === 'error')).toEqual([])
  expect(events.filter((event) => event.type === 'message.complete' && event.status === 'complete')).toHaveLength(400)
  const compressions = await sessions.compressions(session?.id ?? '')
  expect(compressions).toBeGreaterThanOrEqual(3)
  expect(events.filter(isTold)).toHaveLength(compressions)
  expect(model.notes()).toBe(compressions)
  expect(countBreaks(model.asked())).toBe(compressions)
  expect(session).toMatchObject({ messages: 1600, context: expect.any(Number) })
  for (let turn = 1; turn <= 50; turn++)
    expect(await sessions.search(boatOf(turn), { limit: 5 })).toMatchObject([{ session: session?.id, role: 'user' }])
  expect(model.requests.at(-1)?.raw).not.toContain(boatOf(20))
  for (let turn = 1; turn <= 50; turn++) expect(await talk.ask(`Which boat is in berth ${turn}?`)).toContain(boatOf(turn))
}, 120_000)
