import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { Change } from '#agent/reload/compare.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { LinkState } from '../links/link-status.ts'
import type { Link } from '../links/platform-link.ts'
import { createReload } from './create-reload.ts'
import type { ReloadOptions } from './reload-options.ts'

const talk = { kind: 'platform', id: 'talk', spec: { door: 'messaging' }, plugin: { manifest: { id: 'the-plugin', permissions: {} } } }
const contribution = talk as unknown as Contribution<'platform'>

/** A reload with one change of a platform, and what was done for it in order. What takes time is done only when it is waited for. */
function openRig(type: Change['type'], state: LinkState, waiting: () => number = () => 0, opened = Promise.resolve()) {
  const clock = createFakeClock()
  const done: string[] = []
  const slowly = async (what: string): Promise<void> => {
    await new Promise(setImmediate)
    done.push(what)
  }
  const linkOf = (name: string): Link => {
    const link = {
      ...{ contribution, status: () => ({ state }), idle: () => slowly(`${name} idle`), close: () => slowly(`${name} closed`) },
      get settled() {
        return slowly(`${name} settled`)
      },
    }
    return link as unknown as Link
  }
  const [old, next] = [linkOf('old'), linkOf('new')]
  const links = new Map(type === 'added' ? [] : [['talk', old]])
  const change: Change = {
    ...{ key: 'platform:talk', contribution, type, needsRestart: false },
    ...(type === 'added' ? {} : { before: contribution }),
    ...(type === 'removed' ? {} : { after: contribution }),
  }
  const reload = createReload({
    shown: async () => undefined,
    isOfflineByDefault: () => true,
    ...{ clock, links, opened, log: silentLog, signal: new AbortController().signal },
    generations: { prepare: async () => ({ changes: [change] }), adopt: () => done.push('adopted'), number: () => 2 },
    rules: { of: () => undefined, readAnew: () => undefined },
    journal: { pending: async () => [{ platform: 'talk', inbox: waiting(), outbox: 0 }] },
    outbox: { follow: (id: string, sends: boolean) => done.push(`${id} ${sends ? 'sends' : 'sends no more'}`) },
    announce: (link: Link) => done.push(`${link === old ? 'old' : 'new'} announced`),
    open: () => slowly('opened').then(() => next),
    activator: { retire: () => slowly('let go') },
    onCommands: () => done.push('commands'),
  } as unknown as ReloadOptions)
  return { clock, done, links, next, reload }
}

test('the new connection takes the place of the old one, which ends when all is sent, and its code is let go of', async () => {
  const { done, links, next, reload } = openRig('changed', 'connected')
  expect((await reload()).parts).toMatchObject([{ id: 'talk', did: 'replaced', state: 'connected' }])
  expect(links.get('talk')).toBe(next)
  expect(done).toEqual([
    ...['opened', 'new settled', 'adopted', 'talk sends', 'new announced', 'old idle', 'old closed', 'let go', 'new settled'],
  ])
})

test('nothing is taken again before every platform was tried', async () => {
  let say = (): void => undefined
  const { done, reload } = openRig('added', 'connected', undefined, new Promise((resolve) => (say = resolve)))
  const report = reload()
  await new Promise(setImmediate)
  expect(done).toEqual([])
  say()
  expect((await report).parts).toMatchObject([{ id: 'talk', did: 'opened' }])
})

test('an old connection that does not stand makes room first', async () => {
  const { done, reload } = openRig('changed', 'retrying')
  await reload()
  expect(done.slice(0, 5)).toEqual(['adopted', 'old closed', 'opened', 'talk sends', 'new announced'])
  expect(done.slice(-2)).toEqual(['let go', 'new settled'])
})

test('what is new is opened, and its first attempt is over when the reload is', async () => {
  const { done, reload } = openRig('added', 'connected')
  expect((await reload()).parts).toMatchObject([{ id: 'talk', did: 'opened' }])
  expect(done).toEqual(['adopted', 'opened', 'talk sends', 'new announced', 'new settled'])
})

test('what was taken away is closed and let go of before the reload is over', async () => {
  const { done, links, reload } = openRig('removed', 'connected')
  expect((await reload()).parts).toMatchObject([{ id: 'talk', did: 'closed' }])
  expect([done, links.size]).toEqual([['adopted', 'old closed', 'talk sends no more', 'old announced', 'let go'], 0])
})

test('answers that are on their way leave first, but nobody waits for them longer than ten seconds', async () => {
  let left = 2
  const soon = openRig('removed', 'connected', () => left--)
  const reloading = soon.reload()
  await soon.clock.advance(99)
  expect(soon.done).toEqual([])
  await soon.clock.advance(1)
  await reloading
  const never = openRig('removed', 'connected', () => 1)
  const waiting = never.reload()
  await never.clock.advance(9_999)
  expect(never.done).toEqual([])
  await never.clock.advance(1)
  await waiting
  // Where nothing is connected, nothing can leave.
  const unconnected = openRig('removed', 'retrying', () => 1)
  await unconnected.reload()
  expect(unconnected.done).toContain('old closed')
})
