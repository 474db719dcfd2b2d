import { runInNewContext } from 'node:vm'
import type { Log } from '@agent/plugin-sdk'
import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import type { HookFault, HookPayloads, TapCall } from './hook-list.ts'
import { createHooks } from './hooks.ts'

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }
const toolCall: HookPayloads['tool.before'] = { turn: 't', session: 's', tool: 'terminal', effect: 'write', args: {}, workspace: '/w' }
const turn: HookPayloads['turn.before'] = { turn: 't', session: 's', source: 'cli', input: [], instructions: undefined }

function open() {
  const clock = createFakeClock()
  const faults: HookFault[] = []
  const hooks = createHooks({ clock, log: quiet, onFault: (fault) => faults.push(fault) })
  return { clock, faults, hooks }
}

const never = (): Promise<undefined> => new Promise(() => {})

test('without taps a gate allows, a modify hands back its payload, and nothing waits', async () => {
  const { hooks, clock } = open()
  expect(hooks.has('tool.before')).toBe(false)
  expect(await hooks.call('tool.before', toolCall)).toBeUndefined()
  expect(await hooks.call('turn.before', turn)).toBe(turn)
  expect(clock.sleeping()).toBe(0)
})

test('the first refusal of a gate wins and the taps behind it are not asked', async () => {
  const { hooks } = open()
  const asked: string[] = []
  hooks.tap('tool.before', { owner: 'late', stage: 10 }, () => void asked.push('late') as undefined)
  hooks.tap('tool.before', { owner: 'first' }, async () => void asked.push('first') as undefined)
  hooks.tap('tool.before', { owner: 'strict' }, () => ({ refuse: 'not on Sundays' }))
  expect(await hooks.call('tool.before', toolCall)).toEqual({ plugin: 'strict', reason: 'not on Sundays' })
  expect(asked).toEqual(['first'])
})

test('patches of a modify add up in order of stage; one that fails is skipped', async () => {
  const { hooks, faults } = open()
  hooks.tap('turn.before', { owner: 'second', stage: 5 }, ({ instructions }) => ({ instructions: `${instructions} two` }))
  hooks.tap('turn.before', { owner: 'first', stage: -5 }, async () => ({ instructions: 'one' }))
  hooks.tap('turn.before', { owner: 'broken' }, () => {
    throw new Error('oops')
  })
  expect(await hooks.call('turn.before', turn)).toEqual({ ...turn, instructions: 'one two' })
  expect(faults).toEqual([{ plugin: 'broken', hook: 'turn.before', kind: 'threw', detail: 'oops', removed: false }])
})

test.each([[{}], [{ refuse: undefined }], [{ refused: 'no' }], [true], ['ok'], [0]])(
  'a gate that is answered %j stays closed',
  async (answer) => {
    const { hooks } = open()
    hooks.tap('tool.before', { owner: 'odd' }, () => answer as never)
    expect(await hooks.call('tool.before', toolCall)).toEqual({ plugin: 'odd', reason: 'its answer is neither a refusal nor nothing' })
  },
)

test('an answer that is a promise of another make is waited for', async () => {
  const { hooks } = open()
  const Other = runInNewContext('Promise') as PromiseConstructor
  hooks.tap('tool.before', { owner: 'strict' }, () => Other.resolve({ refuse: 'not on Sundays' }) as never)
  expect(await hooks.call('tool.before', toolCall)).toEqual({ plugin: 'strict', reason: 'not on Sundays' })
  hooks.tap('turn.before', { owner: 'kind' }, () => Other.resolve({ instructions: 'one' }) as never)
  expect(await hooks.call('turn.before', turn)).toEqual({ ...turn, instructions: 'one' })
})

test.each(['throws', 'rejects'])('a gate whose tap %s is closed, and names the owner', async (how) => {
  const { hooks } = open()
  hooks.tap('message.inbound', { owner: 'guard' }, () => {
    if (how === 'throws') throw new Error('no list')
    return Promise.reject(new Error('no list'))
  })
  const refusal = await hooks.call('message.inbound', { platform: 'irc', message: {} as HookPayloads['message.inbound']['message'] })
  expect(refusal).toEqual({ plugin: 'guard', reason: 'it failed (no list)' })
})

test('a signal that is first looked at when the time is over has fired', async () => {
  const { hooks, clock } = open()
  let seen: TapCall | undefined
  hooks.tap('tool.before', { owner: 'slow', budgetMs: 100 }, (_payload, call) => {
    seen = call
    return never()
  })
  const called = hooks.call('tool.before', toolCall)
  await clock.advance(200)
  await called
  expect(seen?.signal.aborted).toBe(true)
  expect(seen?.signal.reason).toEqual(new Error('no answer within 100 ms'))
})

test('null is an answer that says nothing, at once and later', async () => {
  const { hooks, faults } = open()
  const silent = null as unknown as undefined
  hooks.tap('tool.before', { owner: 'at-once' }, () => silent)
  hooks.tap('tool.before', { owner: 'later' }, async () => silent)
  expect(await hooks.call('tool.before', toolCall)).toBeUndefined()
  expect(faults).toEqual([])
})

test('a tap over its budget is aborted; a gate then refuses, and after two time-outs it stays closed without being run', async () => {
  const { hooks, clock, faults } = open()
  let runs = 0
  let signal: AbortSignal | undefined
  hooks.tap('tool.before', { owner: 'slow', budgetMs: 100 }, (_payload, call) => {
    runs += 1
    signal = call.signal
    return never()
  })
  for (const _ of [1, 2]) {
    const called = hooks.call('tool.before', toolCall)
    await clock.advance(200)
    expect(await called).toEqual({ plugin: 'slow', reason: 'no answer within 100 ms' })
    expect(signal?.aborted).toBe(true)
  }
  expect(await hooks.call('tool.before', toolCall)).toEqual({ plugin: 'slow', reason: 'it is out of order after 2 time-outs' })
  expect(runs).toBe(2)
  expect(faults.map(({ kind, removed }) => [kind, removed])).toEqual([
    ['timed-out', false],
    ['timed-out', true],
  ])
})

test('a budget longer than the class allows is cut to that', async () => {
  const { hooks, clock } = open()
  hooks.tap('turn.before', { owner: 'slow', budgetMs: 3_600_000 }, never)
  const called = hooks.call('turn.before', turn)
  let isOver = false
  void called.then(() => (isOver = true))
  await clock.advance(1999)
  expect(isOver).toBe(false)
  await clock.advance(1001)
  expect(await called).toEqual(turn)
})

test('a tap that times out twice is taken out of any other hook', async () => {
  const { hooks, clock } = open()
  hooks.tap('turn.before', { owner: 'slow', budgetMs: 100 }, never)
  for (const _ of [1, 2]) {
    const called = hooks.call('turn.before', turn)
    await clock.advance(200)
    expect(await called).toBe(turn)
  }
  expect(hooks.has('turn.before')).toBe(false)
})

test('an answer that comes after the time-out changes nothing', async () => {
  const { hooks, clock, faults } = open()
  let answer: (value: { instructions: string }) => void = () => {}
  hooks.tap('turn.before', { owner: 'late', budgetMs: 100 }, () => new Promise((resolve) => (answer = resolve)))
  const called = hooks.call('turn.before', turn)
  await clock.advance(200)
  answer({ instructions: 'too late' })
  expect(await called).toBe(turn)
  expect(faults).toHaveLength(1)
})

test('one timer watches all running taps and goes away with them', async () => {
  const { hooks, clock } = open()
  const finish: (() => void)[] = []
  for (const owner of ['a', 'b', 'c']) {
    hooks.tap('session.end', { owner }, () => new Promise((resolve) => finish.push(() => resolve(undefined))))
  }
  const called = hooks.call('session.end', { session: 's', reason: 'reset' })
  await clock.advance(500)
  expect(clock.sleeping()).toBe(1)
  for (const each of finish) each()
  await called
  await clock.advance(50)
  expect(clock.sleeping()).toBe(0)
})

test('observers run side by side, and what they do to themselves is their own business', async () => {
  const { hooks } = open()
  const seen: string[] = []
  hooks.tap('session.end', { owner: 'broken' }, () => Promise.reject(new Error('oops')))
  hooks.tap('session.end', { owner: 'good' }, async ({ reason }) => void seen.push(reason) as undefined)
  expect(await hooks.call('session.end', { session: 's', reason: 'reset' })).toBeUndefined()
  expect(seen).toEqual(['reset'])
})

test('a filter is compared before the tap is called', async () => {
  const begun = performance.now()
  const { hooks } = open()
  hooks.tap('tool.before', { owner: 'shell-guard', filter: { tool: ['terminal', 'process'] } }, () => ({ refuse: 'no shell' }))
  expect(await hooks.call('tool.before', { ...toolCall, tool: 'read_file' })).toBeUndefined()
  expect(await hooks.call('tool.before', toolCall)).toEqual({ plugin: 'shell-guard', reason: 'no shell' })
  expect(hooks.metrics()).toMatchObject([{ hook: 'tool.before', plugin: 'shell-guard', calls: 1, faults: 0 }])
  // It took no longer than everything did until now.
  expect(hooks.metrics()[0]?.totalMs).toBeLessThanOrEqual(performance.now() - begun)
})

test('an untapped tap is not run any more, not even by a call under way', async () => {
  const { hooks } = open()
  let finish = (): void => {}
  const runs: string[] = []
  hooks.tap('turn.before', { owner: 'first' }, () => new Promise((resolve) => (finish = () => resolve(undefined))))
  const untap = hooks.tap('turn.before', { owner: 'second' }, () => void runs.push('second') as undefined)
  const called = hooks.call('turn.before', turn)
  untap()
  finish()
  await called
  expect(runs).toEqual([])
})

test('close lets nobody wait', async () => {
  const { hooks, clock } = open()
  hooks.tap('turn.before', { owner: 'slow' }, never)
  const called = hooks.call('turn.before', turn)
  hooks.close()
  expect(await called).toBe(turn)
  expect(clock.sleeping()).toBe(0)
})

test('every tap of a dispatch has its own budget', async () => {
  const { hooks, clock, faults } = open()
  const seen: string[] = []
  const slow = { owner: 'slow', budgetMs: 100 }
  hooks.tap('turn.before', { owner: 'quick', budgetMs: 5 }, async () => void seen.push('quick') as undefined)
  hooks.tap('turn.before', { ...slow, owner: 'slow one' }, never)
  hooks.tap('turn.before', { ...slow, owner: 'slow other' }, never)
  hooks.tap('turn.before', { owner: 'last', budgetMs: 5 }, async () => void seen.push('last') as undefined)
  const called = hooks.call('turn.before', turn)
  await clock.advance(400)
  expect(await called).toBe(turn)
  expect(seen).toEqual(['quick', 'last'])
  expect(faults.map(({ plugin, kind }) => [plugin, kind])).toEqual([
    ['slow one', 'timed-out'],
    ['slow other', 'timed-out'],
  ])
  await clock.advance(50)
  expect(clock.sleeping()).toBe(0)
})

test('no timer runs for taps that answer at once, whatever their answer looks like', async () => {
  const { hooks, clock } = open()
  hooks.tap('tool.before', { owner: 'quick' }, () => undefined)
  hooks.tap(
    'turn.before',
    { owner: 'odd' },
    () =>
      Object.fromEntries([
        ['instructions', 'one'],
        ['then', 'no function'],
      ]) as never,
  )
  hooks.tap('turn.end', { owner: 'watcher' }, () => undefined)
  expect(await hooks.call('tool.before', toolCall)).toBeUndefined()
  expect(await hooks.call('turn.before', turn)).toMatchObject({ instructions: 'one' })
  await hooks.call('turn.end', {} as never)
  expect(clock.sleeping()).toBe(0)
  hooks.tap('tool.before', { owner: 'slow' }, async () => undefined)
  const called = hooks.call('tool.before', toolCall)
  await called
  expect(clock.sleeping()).toBe(1)
  await clock.advance(50)
  expect(clock.sleeping()).toBe(0)
})

test('an observer that answers after its time-out counts once, and takes no other one out of its budget', async () => {
  const { hooks, clock, faults } = open()
  let answer = (): void => {}
  hooks.tap('session.end', { owner: 'late', budgetMs: 100 }, () => new Promise((resolve) => (answer = () => resolve(undefined))))
  hooks.tap('session.end', { owner: 'hung', budgetMs: 300 }, never)
  const called = hooks.call('session.end', { session: 's', reason: 'reset' })
  await clock.advance(200)
  answer()
  await clock.advance(300)
  expect(await called).toBeUndefined()
  expect(faults.map(({ plugin, kind }) => [plugin, kind])).toEqual([
    ['late', 'timed-out'],
    ['hung', 'timed-out'],
  ])
  expect(hooks.metrics()).toMatchObject([
    { plugin: 'late', calls: 1, faults: 1, timeouts: 1 },
    { plugin: 'hung', calls: 1, faults: 1, timeouts: 1 },
  ])
})

test('close lets nobody wait for taps that come behind the one that hung either', async () => {
  const { hooks, clock } = open()
  for (const owner of ['first', 'second', 'third']) hooks.tap('turn.before', { owner }, never)
  const called = hooks.call('turn.before', turn)
  hooks.close()
  expect(await called).toBe(turn)
  expect(hooks.metrics().map(({ calls }) => calls)).toEqual([1, 1, 1])
  expect(clock.sleeping()).toBe(0)
})

test('an observer that throws at once has a fault, and one whose filter names others is not called', async () => {
  const { hooks, faults } = open()
  const seen: string[] = []
  hooks.tap('session.end', { owner: 'broken' }, () => {
    throw new Error('oops')
  })
  hooks.tap('session.end', { owner: 'other', filter: { reason: ['idle'] } as never }, () => void seen.push('other') as undefined)
  hooks.tap('session.end', { owner: 'good' }, () => void seen.push('good') as undefined)
  await hooks.call('session.end', { session: 's', reason: 'reset' })
  expect(seen).toEqual(['good'])
  expect(faults).toEqual([{ plugin: 'broken', hook: 'session.end', kind: 'threw', detail: 'oops', removed: false }])
  expect(hooks.metrics().map(({ calls, faults: of }) => [calls, of])).toEqual([
    [1, 1],
    [0, 0],
    [1, 0],
  ])
})
