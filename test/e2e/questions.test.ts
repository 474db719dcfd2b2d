// @module-tag process
import type { Clock, ToolRun, TurnEvent } from '@agent/plugin-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createCall } from '../../host/src/kernel/calls/call.ts'
import { systemClock } from '../../host/src/kernel/clock.ts'
import { addPlatform, addToolset, openReloadGateway, type ReloadGateway } from '../support/gateways/reload-gateway.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

let home: TestHome
beforeEach(() => {
  home = openTestHome()
  addPlatform(home, 'calm')
  addToolset(home, 'doubts', 'ask_way', { permissions: { host: { value: ['clarify'], reason: 'Asks for the way.' } } })
  const entries = { 'platform-calm': { enabled: true }, 'toolset-doubts': { enabled: true } }
  home.write('config.yaml', JSON.stringify({ plugins: { entries }, platforms: { calm: { allow_from: ['ann'] } } }))
})
afterEach(() => home[Symbol.dispose]())

const askWay: ToolRun = async ({ ask }) => ({
  ok: true,
  text: `It goes ${await ask({ question: 'Which way?', choices: ['left', 'right'] })}.`,
})

function open(): Promise<ReloadGateway> {
  return openReloadGateway(home, { toolsets: { doubts: { open: async () => ({ tools: { ask_way: askWay } }) } } })
}

test('a question of a tool is answered by number on a platform', async () => {
  await using opened = await open()
  const { talk } = opened.service('calm')
  expect(await talk('call ask_way {}')).toMatch(/Which way\?[\s\S]*1\. left\n2\. right/)
  expect(await talk('2')).toContain('right')
})

test('where nobody can answer, the tool is told so and the turn goes on', async () => {
  await using opened = await open()
  const request = { input: [{ type: 'text', text: 'call ask_way {}' } as const], session: { key: 'k' }, source: 'test', canAnswer: false }
  const ended: unknown[] = []
  for await (const event of opened.agent.turns.run(request, createCall(new AbortController().signal)))
    if (event.type === 'tool.complete') ended.push(event)
  expect(ended).toMatchObject([{ ok: false, error: { code: 'NOBODY_TO_ASK' } }])
})

/** The five minutes of `approvals.timeout` are over at once; everything else takes its time. */
const impatient: Clock = { ...systemClock, sleep: async (ms, signal) => (ms === 300_000 ? undefined : systemClock.sleep(ms, signal)) }

test('an approval that nobody answers is a denial that names its setting, and the turn goes on', async () => {
  await using opened = await openReloadGateway(home, { clock: impatient })
  const text = 'call terminal {"command": "rm -rf .git"}'
  const request = { input: [{ type: 'text', text } as const], session: { key: 'k' }, source: 'test', canAnswer: true }
  const events: TurnEvent[] = []
  for await (const event of opened.agent.turns.run(request, createCall(new AbortController().signal))) events.push(event)
  const asked = events.find((event) => event.type === 'approval.request')
  const ended = events.find((event) => event.type === 'tool.complete')
  expect(ended).toMatchObject({ ok: false, error: { code: 'APPROVAL_DENIED' } })
  expect(ended?.text).toContain('Nobody answered within 300 s (approvals.timeout).')
  expect(events.at(-1)).toMatchObject({ type: 'message.complete', status: 'complete' })
  expect(await opened.agent.turns.answer(asked?.id ?? '', 'once')).toBe(false)
})
