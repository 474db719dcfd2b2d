import type { Log } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { commandsOf, openPluginFolder, toolsetOf } from '../testing/plugin-folder.ts'
import { createSlots } from './activation-slots.ts'

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }

async function open() {
  const folder = openPluginFolder()
  const { contributes } = commandsOf('mine', { name: 'roll' })
  folder.add('bundled', {
    ...{ id: 'mine', api: { commands: 1, toolset: 1 } },
    contributes: { ...(contributes as object), ...toolsetOf('mine') } as never,
  })
  const catalog = await folder.load()
  const clock = createFakeClock()
  const slots = createSlots({ clock, log: quiet, budgetMs: 10_000 })
  const [toolset, commands] = [catalog.find('toolset', 'mine'), catalog.find('commands', 'mine')]
  if (!toolset || !commands) throw new Error('the made-up plugin is not ready')
  return { slots, clock, toolset: slots.of(toolset), commands: slots.of(commands), [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

test('one part is told by its kind and id, a plugin by the part that says most', async () => {
  using world = await open()
  const { slots, toolset, commands } = world
  slots.go(toolset, 'activating')
  const states = (): readonly string[] => ['toolset:mine', 'commands:mine', 'mine', 'nobody'].map((id) => slots.status(id).state)
  expect(states()).toEqual(['activating', 'ready', 'activating', 'ready'])
  slots.fail(commands, new Error('broken'))
  expect(states()).toEqual(['activating', 'ready', 'activating', 'ready'])
  slots.go(commands, 'activating')
  slots.fail(commands, new Error('broken'))
  expect(states()).toEqual(['activating', 'failed', 'failed', 'ready'])
})

test('a change says which part, from where to where, and of a failure why and until when', async () => {
  using world = await open()
  const { slots, clock, toolset } = world
  const changes: unknown[] = []
  const stop = slots.onState((change) => changes.push(change))
  slots.go(toolset, 'activating')
  slots.fail(toolset, new Error('broken'))
  slots.go(toolset, 'activating')
  stop()
  slots.go(toolset, 'active')
  const part = { plugin: 'mine', kind: 'toolset', contribution: 'mine' }
  expect(changes).toEqual([
    { ...part, from: 'ready', to: 'activating' },
    {
      ...{ ...part, from: 'activating', to: 'failed', reason: 'activate-error', detail: 'its code failed: broken' },
      retryAt: clock.now() + 1000,
    },
    { ...part, from: 'failed', to: 'activating' },
  ])
})

test('ten minutes without a failure begin the pauses again', async () => {
  using world = await open()
  const { slots, clock, toolset } = world
  const pause = (): number | undefined => {
    slots.go(toolset, 'activating')
    slots.fail(toolset, new Error('broken'))
    return (toolset.retryAt ?? 0) - clock.now()
  }
  expect([pause(), pause()]).toEqual([1000, 5000])
  await clock.advance(600_000)
  expect(pause()).toBe(30_000)
  await clock.advance(600_001)
  expect(pause()).toBe(1000)
})
