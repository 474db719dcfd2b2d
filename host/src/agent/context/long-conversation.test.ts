import { fileURLToPath } from 'node:url'
import type { TurnEvent } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createCall } from '#kernel/calls/call.ts'
import { boatOf, countBreaks, isTold, saidIn, startTalkModel, useTalkModel, writePiers } from '../../../../test/support/chats/long-talk.ts'
import { importSourceEntry } from '../../../../test/support/source-entry.ts'
import { openTestHome } from '../../../../test/support/test-home.ts'
import { openAgent } from '../open-agent.ts'

const installRoot = fileURLToPath(new URL('../../../..', import.meta.url))

test('a conversation of 400 turns stays inside a window of 32,000 tokens, and everything said in it is found', async () => {
  using home = openTestHome()
  await using model = await startTalkModel()
  useTalkModel(home, model, 'store: { durability: process }\n')
  writePiers(home.work)
  const agent = await openAgent({
    ...{ installRoot, environment: home.environment, profile: undefined, workspace: home.work, note: () => undefined },
    importEntry: importSourceEntry,
  })
  const events: TurnEvent[] = []
  try {
    for (let turn = 1; turn <= 400; turn++) {
      const request = { input: [{ type: 'text', text: saidIn(turn) }], source: 'cli', canAnswer: false, session: { key: 'talk' } } as const
      for await (const event of agent.turns.run(request, createCall(new AbortController().signal))) events.push(event)
    }
    const { sessions } = agent.store
    const session = await sessions.byKey('talk')
    // The model refuses what does not fit, a call without a result, and a result without a call.
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
  } finally {
    await agent.close()
  }
}, 120_000)
