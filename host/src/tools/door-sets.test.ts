import { expect, test } from 'vitest'
import { doorSets, ownDoors } from './door-sets.ts'

type Plugins = Parameters<typeof doorSets>[0]['plugins']

const platform = (id: string, toolsets: readonly string[] | undefined, more: object = {}): object => ({
  ...{ source: 'bundled', state: 'ready', ...more },
  installed: { manifest: { contributes: { platforms: [{ id, ...(toolsets && { toolsets }) }] } } },
})
const setsOf = (...plugins: readonly object[]) => doorSets({ plugins: plugins as unknown as Plugins })

test('each own door has all toolsets, and no platform takes that from it', () => {
  expect(ownDoors).toEqual(['cli', 'acp', 'cron'])
  expect(setsOf(platform('cli', ['few']))).toEqual({
    'agent-cli': ['all'],
    'agent-acp': ['all'],
    'agent-cron': ['all'],
    'agent-gateway': ['all'],
  })
})

test('what may be reached from any platform is what any of them has, and all as soon as one has all', () => {
  expect(setsOf(platform('bell', ['calm', 'web']), platform('post', ['web', 'files']))['agent-gateway']).toEqual(['calm', 'web', 'files'])
  expect(setsOf(platform('bell', ['calm']), platform('talk', undefined))).toMatchObject({
    'agent-bell': ['calm'],
    'agent-talk': ['all'],
    'agent-gateway': ['all'],
  })
  expect(setsOf()['agent-gateway']).toEqual([])
})

test('of two plugins with one platform the one that runs counts, then the one that comes with agent, wherever they stand', () => {
  const theirs = platform('bell', ['theirs'], { source: 'installed', state: 'blocked' })
  const ours = platform('bell', ['ours'], { state: 'blocked' })
  const running = platform('bell', ['running'], { source: 'installed' })
  for (const plugins of [
    [theirs, ours, running],
    [running, ours, theirs],
  ])
    expect(setsOf(...plugins)['agent-bell']).toEqual(['running'])
  for (const plugins of [
    [theirs, ours],
    [ours, theirs],
  ])
    expect(setsOf(...plugins)['agent-bell']).toEqual(['ours'])
  expect(setsOf({ source: 'installed', state: 'broken' }, theirs)['agent-bell']).toEqual(['theirs'])
})
