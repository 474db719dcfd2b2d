// @module-tag server
import type { HostEvents, Notifier, ToolRun } from '@agent/plugin-sdk'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addPlatform, addToolset, openReloadGateway, type ReloadGateway } from '../support/gateways/reload-gateway.ts'
import { openTestHome, type TestHome } from '../support/test-home.ts'

const soon = { timeout: 10_000 }
const events = ['subagent.end', 'question.waiting'] as const

let home: TestHome
beforeEach(() => {
  home = openTestHome()
  for (const id of ['calm', 'loud']) addPlatform(home, id)
  addToolset(home, 'doubts', 'ask_way', { permissions: { host: { value: ['clarify'], reason: 'Asks for the way.' } } })
  addToolset(home, 'slow', 'linger')
  const about = { manifestVersion: 1, id: 'notifier-bell', name: 'Bell', description: 'Rings.', version: '1.0.0', license: 'MIT' }
  const spec = { id: 'bell', entry: 'dist/bell.js', label: 'Bell', events }
  home.write(
    'plugins/local/notifier-bell/agent.plugin.json',
    JSON.stringify({ ...about, api: { notifier: 1 }, contributes: { notifiers: [spec] } }),
  )
  const on = ['platform-calm', 'platform-loud', 'toolset-doubts', 'toolset-slow', 'notifier-bell']
  const entries = Object.fromEntries(on.map((plugin) => [plugin, { enabled: true }]))
  const platforms = { calm: { allow_from: ['ann'] }, loud: { home_channel: 'room' } }
  const notifiers = { bell: { deliver: ['loud'] } }
  home.write('config.yaml', JSON.stringify({ plugins: { entries }, platforms, notifiers }))
})
afterEach(() => home[Symbol.dispose]())

/** Says what it was told. */
const bell: Notifier = {
  open: async () => ({
    hear: async ({ name, data }) => {
      const { kind, state, task, text } = data as unknown as Partial<HostEvents['subagent.end'] & HostEvents['question.waiting']>
      return [{ text: [name, kind ?? state, task, text].filter((part) => part !== undefined).join(' | ') }]
    },
  }),
}

const askWay: ToolRun = async ({ ask }) => ({ ok: true, text: await ask({ question: 'Which way?', choices: ['left', 'right'] }) })
const linger: ToolRun = (_, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

const open = (): Promise<ReloadGateway> =>
  openReloadGateway(home, {
    toolsets: { doubts: { open: async () => ({ tools: { ask_way: askWay } }) }, slow: { open: async () => ({ tools: { linger } }) } },
    notifiers: { bell },
  })

/** Lets Ann's agent hand a task to a child agent that works on behind its answer. */
const leave = (goal: string): string => `call tool_call ${JSON.stringify({ name: 'delegate_task', arguments: { goal, background: true } })}`

test('a question that waits reaches the place where people want to hear of it, once, and its answer is no news', async () => {
  await using opened = await open()
  const [calm, loud] = [opened.service('calm'), opened.service('loud')]
  expect(await calm.talk('call ask_way {}')).toContain('Which way?')
  await expect.poll(() => loud.said, soon).toEqual(['question.waiting | clarify | Which way?'])
  expect(await calm.talk('2')).toContain('right')
  await expect.poll(() => opened.agent.store.journal.pending(), soon).toEqual([])
  expect([loud.said.length, await opened.agent.store.kv.keys('host.events')]).toEqual([1, []])
})

test('what came of a child agent in the background reaches it once, beside what its conversation hears', async () => {
  await using opened = await open()
  const [calm, loud] = [opened.service('calm'), opened.service('loud')]
  await calm.talk(leave('say hello'))
  await expect.poll(() => loud.said, soon).toEqual([expect.stringMatching(/^subagent\.end \| completed \| say hello \| ./)])
  await expect.poll(() => calm.said, soon).toHaveLength(2)
  expect(await opened.agent.store.kv.keys('host.events')).toEqual([])
})

test('the end of a child agent that the end of the gateway has interrupted is told by the next gateway', async () => {
  {
    await using opened = await open()
    await opened.service('calm').talk(leave('call linger {}'))
    expect(opened.service('loud').said).toEqual([])
  }
  await using again = await open()
  await expect
    .poll(() => again.service('loud').said, soon)
    .toEqual([expect.stringMatching(/^subagent\.end \| interrupted \| call linger \{\}/)])
})
