import { fail, toWireError } from '@agent/plugin-sdk/errors'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { Change } from '#agent/reload/compare.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import type { LinkState } from '../links/link-status.ts'
import type { ReloadOptions } from './reload-options.ts'
import { type Tried, tryChange } from './try-change.ts'

interface Given {
  /** State of the connection that stands. */
  readonly old?: LinkState
  /** State of the one that is tried. */
  readonly next?: LinkState
  readonly idle?: () => Promise<void>
  /** What importing the new entry does. */
  readonly entry?: () => Promise<never>
}

const refused = fail('PLATFORM_AUTH', { platform: 'Talk', detail: 'no' })

/** A change of one contribution, and what was done for it in order. What takes time is done only when it is waited for. */
function openRig({ old, next = 'connected', idle = async () => undefined, entry = async () => undefined as never }: Given = {}) {
  const clock = createFakeClock()
  const done: string[] = []
  const slowly = async (what: string): Promise<void> => {
    await new Promise(setImmediate)
    done.push(what)
  }
  const linkOf = (name: string, state: LinkState) => ({
    contribution: { plugin: { manifest: { id: 'the-plugin' } } },
    status: () => ({ state, ...(state === 'fatal' ? { error: toWireError(refused) } : {}) }),
    settled: Promise.resolve(),
    idle: async () => {
      await idle()
      done.push('idle')
    },
    pause: () => slowly(`${name} paused`),
    resume: () => void done.push(`${name} resumed`),
    close: () => slowly(`${name} closed`),
  })
  const options = {
    clock,
    links: new Map(old === undefined ? [] : [['talk', linkOf('old', old)]]),
    open: async () => {
      done.push('opened')
      return linkOf('new', next)
    },
    activator: {
      entry: async () => {
        done.push('imported')
        return entry()
      },
      retire: () => slowly('let go'),
    },
  } as unknown as ReloadOptions
  const tryOne = async (contribution: Contribution, type: Change['type'] = 'changed', needsRestart = false): Promise<Tried> => {
    const before = type === 'added' ? {} : { before: contribution }
    const after = type === 'removed' ? {} : { after: contribution }
    return tryChange(options, { key: 'k', contribution, type, needsRestart, ...before, ...after })
  }
  return { clock, done, tryOne }
}

const manifest = (verbs: readonly string[]) => ({ id: 'the-plugin', permissions: { host: { value: verbs } } })
const platform = (spec: object = {}, verbs: readonly string[] = []): Contribution =>
  ({
    kind: 'platform',
    id: 'talk',
    spec: { entry: 'dist/talk.js', ...spec },
    plugin: { manifest: manifest(verbs) },
  }) as unknown as Contribution
const toolset = (entry?: string): Contribution =>
  ({ kind: 'toolset', id: 'dice', spec: { entry }, plugin: { manifest: manifest([]) } }) as unknown as Contribution

test('new code that cannot be imported is let go of, and the old goes on', async () => {
  const { done, tryOne } = openRig({ entry: () => Promise.reject(fail('PLUGIN_INACTIVE', { plugin: 'dice' })) })
  expect((await tryOne(toolset('dist/dice.js'))).kept).toMatchObject({ code: 'PLUGIN_INACTIVE', params: { plugin: 'dice' } })
  expect(done).toEqual(['imported', 'let go'])
})

test('new code that works is left for its first use, and what has none is not imported', async () => {
  const { done, tryOne } = openRig()
  expect(await tryOne(toolset('dist/dice.js'))).toEqual({ change: expect.anything() })
  expect(done).toEqual(['imported'])
  expect(await tryOne(toolset())).toEqual({ change: expect.anything() })
  expect(done).toEqual(['imported'])
})

test('what is new, gone or needs a restart is not tried', async () => {
  const { done, tryOne } = openRig({ old: 'connected' })
  for (const type of ['added', 'removed'] as const)
    expect(await tryOne(toolset('dist/dice.js'), type)).toEqual({ change: expect.anything() })
  expect((await tryOne(platform(), 'changed', true)).kept).toMatchObject({
    code: 'PLUGIN_RESTART',
    params: { plugin: 'the-plugin' },
  })
  expect(done).toEqual([])
})

test('a platform is connected beside the old connection, which goes on where that fails', async () => {
  const works = openRig({ old: 'connected' })
  expect((await works.tryOne(platform())).link?.status().state).toBe('connected')
  expect(works.done).toEqual(['opened'])
  const fails = openRig({ old: 'connected', next: 'fatal' })
  const { kept, link } = await fails.tryOne(platform())
  expect([kept, link]).toEqual([expect.objectContaining({ code: 'PLATFORM_AUTH' }), undefined])
  expect(fails.done).toEqual(['opened', 'new closed', 'let go'])
})

test('a platform that is paused meanwhile is taken over, and one that just does not connect is not', async () => {
  const paused = openRig({ old: 'connected', next: 'paused' })
  expect((await paused.tryOne(platform())).kept).toBeUndefined()
  const silent = openRig({ old: 'connected', next: 'retrying' })
  expect((await silent.tryOne(platform())).kept).toMatchObject({ code: 'PLUGIN_INACTIVE', params: { plugin: 'the-plugin' } })
})

test.each(['retrying', 'fatal', undefined] as const)('a platform that is %s has nothing to lose and is not tried', async (old) => {
  const { done, tryOne } = openRig(old === undefined ? {} : { old })
  expect(await tryOne(platform())).toEqual({ change: expect.anything() })
  expect(done).toEqual([])
})

test.each([
  ['has one account', platform({ singletonLock: 'TALK_TOKEN' })],
  ['listens', platform({}, ['http.listen'])],
])('of a platform that %s the old connection rests meanwhile, and comes back where the new one fails', async (_what, contribution) => {
  const works = openRig({ old: 'connected' })
  await works.tryOne(contribution)
  expect(works.done).toEqual(['idle', 'old paused', 'opened'])
  const fails = openRig({ old: 'connected', next: 'fatal' })
  await fails.tryOne(contribution)
  expect(fails.done).toEqual(['idle', 'old paused', 'opened', 'new closed', 'let go', 'old resumed'])
})

test('what is being sent is waited for, but no longer than ten seconds', async () => {
  const { clock, done, tryOne } = openRig({ old: 'connected', idle: () => new Promise(() => undefined) })
  const trying = tryOne(platform({ singletonLock: 'TALK_TOKEN' }))
  await clock.advance(9_999)
  await new Promise(setImmediate)
  expect(done).toEqual([])
  await clock.advance(1)
  await trying
  expect(done).toEqual(['old paused', 'opened'])
})
