import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { Change } from '#agent/reload/compare.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { Link } from '../links/platform-link.ts'
import { createReload } from './create-reload.ts'
import type { ReloadOptions } from './reload-options.ts'

const contributionOf = (kind: string, id: string): Contribution<'platform'> =>
  ({
    ...{ kind, id, spec: { door: 'messaging', entry: 'dist/it.js' } },
    plugin: { manifest: { id: `the-${id}`, permissions: {} } },
  }) as unknown as Contribution<'platform'>

const offline = toWireError(fail('OFFLINE_MODEL', {} as never))

interface Given {
  readonly changes?: readonly Change[]
  /** Platforms that are connected, or that want a model. */
  readonly links?: Readonly<Record<string, 'connected' | 'offline'>>
  readonly isOffline?: boolean
  readonly pending?: () => readonly object[]
  readonly more?: Partial<ReloadOptions>
}

/** A reload of several parts, and what was done for them in order. */
function openRig({ changes = [], links: given = {}, isOffline = true, pending = () => [], more = {} }: Given) {
  const done: string[] = []
  const clock = createFakeClock()
  const linkOf = (id: string, state: 'connected' | 'offline', name = id): Link => {
    const status = () => (state === 'connected' ? { state } : { state: 'fatal', error: offline })
    const slowly = async (what: string): Promise<void> => {
      await new Promise(setImmediate)
      done.push(`${name} ${what}`)
    }
    return {
      ...{ contribution: contributionOf('platform', id), status, settled: Promise.resolve() },
      ...{ idle: () => slowly('idle'), close: () => slowly('closed'), pause: () => slowly('paused') },
    } as unknown as Link
  }
  const links = new Map(Object.entries(given).map(([id, state]) => [id, linkOf(id, state)]))
  const reload = createReload({
    ...{
      clock,
      links,
      opened: Promise.resolve(),
      log: silentLog,
      signal: new AbortController().signal,
      isOfflineByDefault: () => isOffline,
    },
    generations: {
      prepare: async () => ({ changes }),
      adopt: (_candidate: unknown, kept: ReadonlySet<string>) => done.push(`adopted without ${[...kept]}`),
      number: () => 2,
    },
    rules: {
      of: (id: string) => done.push(`${id} read`),
      readAnew: (kept: ReadonlySet<string>) => done.push(`rules but ${[...kept]}`),
    },
    journal: { pending: async () => pending() },
    outbox: { follow: () => undefined },
    announce: () => undefined,
    open: async ({ id }: Contribution) => {
      done.push(`${id} opened`)
      return linkOf(id, 'connected', `new ${id}`)
    },
    activator: { retire: async () => undefined, entry: async () => undefined },
    onCommands: () => done.push('commands'),
    shown: async () => {
      await new Promise(setImmediate)
      done.push('shown')
    },
    ...more,
  } as unknown as ReloadOptions)
  return { clock, done, links, reload }
}

const changed = (contribution: Contribution, needsRestart = false): Change => ({
  ...{ key: `${contribution.kind}:${contribution.id}`, contribution, type: 'changed', needsRestart },
  ...{ before: contribution, after: contribution },
})
const removed = (contribution: Contribution): Change => ({
  ...{ key: `${contribution.kind}:${contribution.id}`, contribution, type: 'removed', before: contribution, needsRestart: false },
})

test('what is kept holds on with its settings and rules, and the report says why', async () => {
  const changes = [
    changed(contributionOf('platform', 'talk'), true),
    changed(contributionOf('toolset', 'dice'), true),
    changed(contributionOf('platform', 'irc')),
  ]
  const { done, links, reload } = openRig({ changes, links: { talk: 'connected', irc: 'connected' } })
  const before = links.get('talk')
  const { parts } = await reload()
  expect(parts).toMatchObject([
    { kind: 'platform', id: 'talk', plugin: 'the-talk', did: 'kept', state: 'connected', error: { code: 'PLUGIN_RESTART' } },
    { kind: 'toolset', id: 'dice', did: 'kept', error: { code: 'PLUGIN_RESTART' } },
    { kind: 'platform', id: 'irc', did: 'replaced' },
  ])
  expect(parts[2]).not.toHaveProperty('error')
  expect(done.slice(0, 4)).toEqual(['irc opened', 'talk read', 'adopted without platform:talk,toolset:dice', 'rules but talk'])
  expect(done.at(-1)).toBe('shown')
  expect(done.filter((what) => what.startsWith('irc '))).toEqual(['irc opened', 'irc idle', 'irc closed'])
  expect(links.get('talk')).toBe(before)
})

test('who listens hears of other commands, and of nothing else', async () => {
  const commands = openRig({ changes: [changed(contributionOf('toolset', 'dice')), changed(contributionOf('commands', 'jokes'))] })
  await commands.reload()
  expect(commands.done).toContain('commands')
  const tools = openRig({ changes: [changed(contributionOf('toolset', 'dice'))] })
  await tools.reload()
  expect(tools.done).not.toContain('commands')
})

test('platforms that wanted a model are connected once there is one, each of them once', async () => {
  const links = { talk: 'offline', irc: 'connected', mail: 'offline' } as const
  const changes = [changed(contributionOf('platform', 'mail'))]
  const { done, reload } = openRig({ changes, links, isOffline: false })
  expect((await reload()).parts).toMatchObject([
    { id: 'mail', did: 'replaced', state: 'connected' },
    { id: 'talk', did: 'replaced', state: 'connected' },
  ])
  expect(done.filter((what) => what.endsWith('opened')).sort()).toEqual(['mail opened', 'talk opened'])
  const without = openRig({ links })
  expect((await without.reload()).parts).toEqual([])
})

test('only what waits for a platform that is taken away is waited for: messages to answer, and answers to send', async () => {
  const talk = contributionOf('platform', 'talk')
  let waiting = { platform: 'talk', inbox: 1, outbox: 1 }
  const pending = () => [{ platform: 'irc', inbox: 1, outbox: 0 }, waiting]
  const { clock, done, reload } = openRig({ changes: [removed(talk)], links: { talk: 'connected' }, pending })
  const over = reload()
  await clock.advance(40)
  expect(done).toEqual([])
  waiting = { platform: 'talk', inbox: 0, outbox: 0 }
  await clock.advance(10)
  await over
  expect(done).toContain('talk closed')
  const busy = () => [
    { platform: 'talk', inbox: 1, outbox: 0 },
    { platform: 'dice', inbox: 1, outbox: 0 },
  ]
  const links = { talk: 'connected', dice: 'connected' } as const
  for (const change of [changed(talk, true), removed(contributionOf('toolset', 'dice')), removed(contributionOf('platform', 'gone'))])
    await openRig({ changes: [change], links, pending: busy }).reload()
})

test('a gateway that stops meanwhile takes nothing over', async () => {
  const stop = new AbortController()
  const entry = async (): Promise<never> => stop.abort(fail('INTERRUPTED')) as never
  const rig = openRig({
    changes: [changed(contributionOf('toolset', 'dice'))],
    more: { signal: stop.signal, activator: { entry } as never },
  })
  await expect(rig.reload()).rejects.toMatchObject({ code: 'INTERRUPTED' })
  expect(rig.done).toEqual([])
})
