import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { Contribution } from '#kernel/catalog/catalog.ts'

import { silentLog } from '#observe/silent-log.ts'
import { type FollowGenerationsOptions, followGenerations } from './follow-generations.ts'
import type { Candidate, Generations } from './reload/generations.ts'

const contribution = { kind: 'toolset', id: 'dice', plugin: { manifest: { id: 'toolset-dice' } } } as unknown as Contribution
const change = { key: 'toolset:dice', contribution, type: 'removed', before: contribution, needsRestart: false } as const
const candidate = { changes: [change] } as unknown as Candidate

function world(retire: () => Promise<void> = async () => undefined) {
  const heard: string[] = []
  const clock = createFakeClock()
  const stop = new AbortController()
  let end: () => void = () => undefined
  const settled = new Promise<void>((resolve) => (end = resolve))
  const options: FollowGenerationsOptions = {
    toolbox: { renew: () => void heard.push('new tools') },
    consumers: {
      toolset: { retire: async () => void heard.push('toolset ended') },
      'web-backend': { retire: async () => void heard.push('web backend ended') },
      provider: { retire: async () => void heard.push('provider ended') },
    },
    activator: {
      retire: async () => {
        await retire()
        heard.push('code ended')
      },
    },
    turns: { settled: () => settled },
    ...{ hosts: undefined, clock, signal: stop.signal },
    log: { ...silentLog, warn: (_text, about) => void heard.push(`did not end: ${String(about?.error)}`) },
  }
  const generations = { adopt: () => void heard.push('adopted') } as unknown as Generations
  return { heard, clock, stop, end, options, followed: followGenerations(generations, options) }
}

test('new turns have the new tools at once; the old ones end after the turns that had them', async () => {
  const { heard, end, followed } = world()
  followed.adopt(candidate, new Set())
  expect(heard).toEqual(['adopted', 'new tools'])
  end()
  await expect.poll(() => heard).toEqual(['adopted', 'new tools', 'toolset ended', 'code ended'])
})

test('a turn that never ends holds the old ones for ten seconds', async () => {
  const { heard, clock, followed } = world()
  followed.adopt(candidate, new Set())
  await clock.advance(9_999)
  expect(heard).not.toContain('code ended')
  await clock.advance(1)
  await expect.poll(() => heard).toContain('code ended')
})

test('what goes on as it was is not ended, and nothing is ended twice when the agent closes meanwhile', async () => {
  const kept = world()
  kept.followed.adopt(candidate, new Set(['toolset:dice']))
  kept.end()
  const closed = world()
  closed.followed.adopt(candidate, new Set())
  closed.stop.abort()
  closed.end()
  await new Promise((resolve) => setImmediate(resolve))
  expect([kept.heard, closed.heard]).toEqual([
    ['adopted', 'new tools'],
    ['adopted', 'new tools'],
  ])
})

test('what does not end is in the log', async () => {
  const { heard, end, followed } = world(() => Promise.reject(new Error('stuck')))
  followed.adopt(candidate, new Set())
  end()
  await expect.poll(() => heard.at(-1)).toBe('did not end: Error: stuck')
})

test('changed code gets a new child where it runs in one, once for each plugin', async () => {
  const heard: string[] = []
  const brought = (id: string, kind = 'toolset') => ({ kind, id, plugin: { manifest: { id: `${kind}-${id}` } } })
  const hosts = { isolates: ({ id }: { id: string }) => id !== 'inside', renew: (plugin: string) => void heard.push(plugin) }
  const changes = [brought('dice'), brought('dice'), brought('inside'), brought('words', 'skills')].map((after) => ({ ...change, after }))
  const found = { changes: [...changes, change] } as unknown as Candidate
  const { options } = world()
  const followed = (given: object): Generations =>
    followGenerations({ prepare: async () => found } as unknown as Generations, { ...options, ...given } as FollowGenerationsOptions)
  expect(await followed({ hosts }).prepare()).toBe(found)
  expect(heard).toEqual(['toolset-dice'])
  // Where no plugin runs in a child there is none to renew.
  expect(await followed({ hosts: undefined }).prepare()).toBe(found)
})
