import type { Connection, Platform, PlatformContext, PlatformManifest } from '@agent/plugin-sdk'
import { fail, fromWireError, isAgentError } from '@agent/plugin-sdk/errors'
import { createFakeClock, type FakeClock } from '@agent/plugin-sdk/testing'
import { afterEach, expect, test } from 'vitest'
import { openLedger } from '#kernel/ledger.ts'
import { silentLog } from '#observe/silent-log.ts'
import type { LinkStatus } from './link-status.ts'
import { type Link, openLink } from './platform-link.ts'

const seconds = 1000
const minutes = 60 * seconds
const hours = 60 * minutes

/** A platform that does what the test says, kept by a link on a clock that stands still. */
interface Rig {
  readonly link: Link
  readonly seen: readonly LinkStatus[]
  /** What was logged, without its words. */
  readonly said: readonly (readonly [level: string, fields: unknown])[]
  /** Attempts so far. */
  readonly attempts: readonly PlatformContext[]
  /** What `lastHeard` says. */
  hear(): void
  closed: number
}

interface RigOptions {
  readonly clock: FakeClock
  readonly connect?: (attempt: number) => Promise<Partial<Connection>>
  readonly spec?: Partial<PlatformManifest>
  readonly lock?: () => Promise<() => void>
  readonly paused?: boolean
  /** What a connection had set up is undone with it. */
  readonly undo?: () => Promise<void>
}

const rigs: { readonly link: Link; readonly clock: FakeClock }[] = []
afterEach(async () => {
  for (const { link, clock } of rigs.splice(0)) {
    const closing = link.close()
    await clock.advance(1 * minutes)
    await closing
  }
})

function openRig(
  id: string,
  { clock, connect = async () => ({}), spec = {}, lock = async () => () => undefined, paused = false, undo }: RigOptions,
): Rig {
  const seen: LinkStatus[] = []
  const said: [level: string, fields: unknown][] = []
  const say = (level: string) => (_: string, fields?: unknown) => void said.push([level, fields])
  const log = { debug: say('debug'), info: say('info'), warn: say('warn'), error: say('error') }
  const attempts: PlatformContext[] = []
  let heardAt = 0
  const platform: Platform = {
    connect: async (context) => {
      attempts.push(context)
      const made = await connect(attempts.length)
      return { lastHeard: async () => heardAt, close: async () => void rig.closed++, ...made }
    },
  }
  const hear = (): void => {
    heardAt = clock.now()
  }
  const about = { id, label: id, capabilities: {}, reception: 'continuous', connectTimeoutMs: 30_000, ...spec }
  const link = openLink({
    contribution: { kind: 'platform', id, spec: about, plugin: { manifest: { id } } } as never,
    lock,
    load: async () => platform,
    openContext: async (lost) => {
      const ledger = openLedger(id, silentLog)
      if (undo) ledger.add(undo, 'what it set up')
      return { context: { lost } as PlatformContext, ledger }
    },
    receiveTimeoutMs: 120 * seconds,
    paused,
    onChange: (status) => void seen.push(status),
    clock,
    random: () => 0,
    log,
  })
  const rig: Rig = { link, seen, said, attempts, hear, closed: 0 }
  rigs.push({ link, clock })
  return rig
}

const unreachable = () => fail('PLATFORM_UNREACHABLE', { platform: 'x', detail: 'no route' })
const state = ({ link }: Rig) => link.status().state

/** Lets time pass while the platform is heard. */
async function live(clock: FakeClock, rig: Rig, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 10 * seconds) {
    rig.hear()
    await clock.advance(10 * seconds)
  }
}

test('the waits climb to five minutes and stay there, and hours of trouble ask for attention while it tries on', async () => {
  const clock = createFakeClock()
  const times: number[] = []
  const connect = async () => {
    times.push(clock.now())
    throw unreachable()
  }
  const rig = openRig('one', { clock, connect })
  await clock.advance(20 * minutes)
  const waits = times.slice(1).map((at, index) => (at - (times[index] ?? 0)) / seconds)
  expect(waits.slice(0, 9)).toEqual([2, 5, 10, 30, 60, 120, 300, 300, 300])
  const { error, since, ...status } = rig.link.status()
  expect(status).toMatchObject({ state: 'retrying', attempts: times.length, needsAttention: false })
  expect([error?.code, since]).toEqual(['PLATFORM_UNREACHABLE', times[0]])
  await clock.advance(2 * hours)
  expect(rig.link.status()).toMatchObject({ state: 'retrying', needsAttention: true })
  const before = times.length
  await clock.advance(5 * minutes)
  expect(times.length).toBe(before + 1)
})

test('a minute of life is healthy and starts at the foot of the ladder; less is not', async () => {
  const clock = createFakeClock()
  const rig = openRig('one', { clock, connect: async (attempt) => (attempt < 4 ? Promise.reject(unreachable()) : {}) })
  const lose = () => rig.attempts.at(-1)?.lost({ retryable: true, error: { code: 'PLATFORM_LOST', params: {} } })
  await clock.advance(17 * seconds)
  expect(rig.link.status()).toMatchObject({ state: 'connected', attempts: 4 })
  expect(rig.link.connection()).toBeDefined()
  await live(clock, rig, 50 * seconds)
  lose()
  await clock.advance(29 * seconds)
  expect(rig.link.status()).toMatchObject({ state: 'retrying', attempts: 4 })
  expect(rig.link.connection()).toBeUndefined()
  await clock.advance(1 * seconds)
  expect(rig.link.status()).toMatchObject({ state: 'connected', attempts: 5 })
  await live(clock, rig, 60 * seconds)
  lose()
  await clock.advance(2 * seconds)
  expect(rig.link.status()).toMatchObject({ state: 'connected', attempts: 2 })
  expect(rig.closed).toBe(2)
})

test('the waits of what was connected once end at a minute', async () => {
  const clock = createFakeClock()
  const times: number[] = []
  const connect = async () => {
    times.push(clock.now())
    return times.length === 1 ? {} : Promise.reject(unreachable())
  }
  const rig = openRig('one', { clock, connect })
  await clock.advance(1 * seconds)
  rig.attempts[0]?.lost({ retryable: true, error: { code: 'PLATFORM_LOST', params: {} } })
  await clock.advance(10 * minutes)
  const waits = times.slice(2).map((at, index) => (at - (times[index + 1] ?? 0)) / seconds)
  expect(waits.slice(0, 6)).toEqual([5, 10, 30, 60, 60, 60])
})

test('who says so cuts the wait for the next attempt short, and only that one', async () => {
  const clock = createFakeClock()
  const rig = openRig('one', { clock, connect: async () => Promise.reject(unreachable()) })
  await clock.advance(20 * minutes)
  const before = rig.attempts.length
  rig.link.resume()
  await clock.advance(0)
  expect([rig.attempts.length, state(rig)]).toEqual([before + 1, 'retrying'])
  await clock.advance(299 * seconds)
  expect(rig.attempts.length).toBe(before + 1)
})

test('what was heard before says nothing about a new connection', async () => {
  const clock = createFakeClock()
  const rig = openRig('one', { clock })
  await live(clock, rig, 30 * seconds)
  expect(rig.link.status().lastHeard).not.toBeNull()
  await clock.advance(10 * seconds)
  rig.attempts[0]?.lost({ retryable: true, error: { code: 'PLATFORM_LOST', params: {} } })
  await clock.advance(20 * seconds)
  // The proof of the adapter is older than the connection.
  expect(rig.link.status()).toMatchObject({ state: 'connected', lastHeard: null })
  rig.hear()
  await clock.advance(10 * seconds)
  expect(rig.link.status().lastHeard).toBe(clock.now() - 10 * seconds)
})

test.each([
  ['a refused credential', async () => Promise.reject(fail('PLATFORM_AUTH', { platform: 'x', detail: 'bad token' })), 'PLATFORM_AUTH'],
  ['a port that is taken', async () => Promise.reject(fail('PORT_IN_USE', { host: 'h', port: 1, setting: 's' })), 'PORT_IN_USE'],
])('%s is final at once, and tried again when a person says so', async (_title, connect, code) => {
  const clock = createFakeClock()
  const rig = openRig('one', { clock, connect })
  await clock.advance(24 * hours)
  expect(rig.link.status()).toMatchObject({ state: 'fatal', attempts: 1, error: { code } })
  expect(rig.attempts).toHaveLength(1)
  rig.link.resume()
  expect(rig.link.status()).toMatchObject({ state: 'starting', attempts: 0 })
  await clock.advance(0)
  expect(rig.attempts).toHaveLength(2)
})

test('trouble that was over does not count for what comes later', async () => {
  const clock = createFakeClock()
  let works = false
  const rig = openRig('one', { clock, connect: async () => (works ? {} : Promise.reject(unreachable())) })
  await clock.advance(2 * hours + 5 * minutes)
  expect(rig.link.status()).toMatchObject({ state: 'retrying', needsAttention: true })
  works = true
  await live(clock, rig, 10 * minutes)
  rig.attempts.at(-1)?.lost({ retryable: true, error: { code: 'PLATFORM_LOST', params: {} } })
  await clock.advance(1 * seconds)
  expect(rig.link.status()).toMatchObject({ state: 'retrying', needsAttention: false })
})

test('who says to go on while it is closed is too late', async () => {
  const clock = createFakeClock()
  const rig = openRig('one', { clock })
  await clock.advance(0)
  await rig.link.pause()
  const closing = rig.link.close()
  rig.link.resume()
  await closing
  await clock.advance(1 * hours)
  expect([state(rig), rig.attempts.length]).toEqual(['disconnected', 1])
})

test('a pause lasts until the connection is closed, or for as long as that may take', async () => {
  const clock = createFakeClock()
  const close = () => clock.sleep(1 * seconds)
  const [slow, stuck] = [
    openRig('slow', { clock, connect: async () => ({ close }) }),
    openRig('stuck', { clock, connect: async () => ({ close: () => new Promise(() => undefined) }) }),
  ]
  await clock.advance(0)
  const paused: string[] = []
  const pausing = [slow, stuck].map((rig) => rig.link.pause().then(() => paused.push(rig.link.contribution.id)))
  await clock.advance(1 * seconds - 1)
  expect(paused).toEqual([])
  await clock.advance(1)
  expect(paused).toEqual(['slow'])
  expect(stuck.said).not.toContainEqual(['warn', expect.objectContaining({ platform: 'stuck' })])
  await clock.advance(4 * seconds)
  await Promise.all(pausing)
  expect(stuck.said).toContainEqual(['warn', expect.objectContaining({ platform: 'stuck' })])
})

test('what becomes of a connection is in the log, and louder after hours of trouble', async () => {
  const clock = createFakeClock()
  const rig = openRig('one', { clock, connect: async (attempt) => (attempt === 1 ? {} : Promise.reject(unreachable())) })
  await clock.advance(1 * seconds)
  rig.attempts[0]?.lost({ retryable: true, error: { code: 'PLATFORM_LOST', params: {} } })
  await clock.advance(3 * seconds)
  const about = { platform: 'one', state: 'retrying' }
  expect(rig.said).toEqual([
    ['info', { platform: 'one', state: 'connected', attempts: 1 }],
    ['warn', { ...about, attempts: 1 }],
    ['warn', { ...about, attempts: 2 }],
  ])
  await clock.advance(3 * hours)
  expect(rig.said.at(-1)).toMatchObject(['error', about])
})

test('what a connection says to be final is final', async () => {
  const clock = createFakeClock()
  const rig = openRig('one', { clock })
  await clock.advance(0)
  rig.attempts[0]?.lost({ retryable: false, error: { code: 'PLATFORM_LOST', params: { platform: 'x', detail: 'banned' } } })
  await clock.advance(1 * hours)
  expect(rig.link.status()).toMatchObject({ state: 'fatal', error: { code: 'PLATFORM_LOST' } })
  expect([rig.attempts.length, rig.closed]).toEqual([1, 1])
})

test('a credential that another process has is final, and names that process', async () => {
  const clock = createFakeClock()
  const lock = () => Promise.reject(fail('CREDENTIAL_IN_USE', { platform: 'Chat', name: 'CHAT_TOKEN', pid: 4711, home: '/other' }))
  const rig = openRig('one', { clock, lock })
  await rig.link.settled
  const { error, ...status } = rig.link.status()
  expect(status).toMatchObject({ state: 'fatal' })
  expect(error && fromWireError(error).message).toContain('pid 4711')
  expect(rig.attempts).toHaveLength(0)
})

test('a link that begins paused makes no attempt until it is resumed', async () => {
  const clock = createFakeClock()
  let locked = 0
  const lock = async () => {
    locked += 1
    return () => undefined
  }
  const rig = openRig('talk', { clock, lock, paused: true })
  await rig.link.settled
  await clock.advance(10 * minutes)
  expect([state(rig), rig.attempts.length, locked]).toEqual(['paused', 0, 0])
  rig.link.resume()
  expect(rig.link.status()).toMatchObject({ state: 'starting', attempts: 0 })
  await clock.advance(0)
  expect([state(rig), rig.attempts.length, locked]).toEqual(['connected', 1, 1])
})

test('pause disconnects and unlocks until resume; close is the end', async () => {
  const clock = createFakeClock()
  let locked = 0
  const lock = async () => {
    locked++
    return () => void locked--
  }
  const rig = openRig('one', { clock, lock })
  await clock.advance(0)
  expect([state(rig), locked]).toEqual(['connected', 1])
  await rig.link.pause()
  await clock.advance(1 * hours)
  expect([state(rig), locked, rig.attempts.length, rig.closed]).toEqual(['paused', 0, 1, 1])
  expect(rig.seen.map((status) => status.state)).toEqual(['connected', 'paused'])
  rig.link.resume()
  await clock.advance(0)
  expect([state(rig), locked]).toEqual(['connected', 1])
  await rig.link.close()
  rig.link.resume()
  await clock.advance(1 * hours)
  expect([state(rig), locked, rig.attempts.length]).toEqual(['disconnected', 0, 2])
})

test.each([
  ['that stood', async () => ({})],
  ['that was refused', async () => Promise.reject(unreachable())],
])('what a connection %s had set up is undone before the next attempt, and before the end', async (_title, connect) => {
  const clock = createFakeClock()
  const undone: number[] = []
  const undo = async () => {
    await clock.sleep(1 * seconds)
    undone.push(rig.attempts.length)
  }
  const rig = openRig('one', { clock, connect, undo })
  await clock.advance(500)
  rig.attempts[0]?.lost({ retryable: true, error: { code: 'PLATFORM_LOST', params: {} } })
  await clock.advance(3 * seconds)
  expect([undone, rig.attempts.length]).toEqual([[1], 2])
  let closed = false
  const closing = rig.link.close().then(() => (closed = true))
  await clock.advance(0)
  expect(closed).toBe(false)
  await clock.advance(1 * seconds)
  await closing
  expect(undone).toEqual([1, 2])
})

test('a half-open connection is found by its silence, replaced and counted; a heard one is left alone', async () => {
  const clock = createFakeClock()
  const rig = openRig('deaf', { clock })
  await live(clock, rig, 10 * minutes)
  expect(rig.link.status()).toMatchObject({ state: 'connected', silences: 0, lastHeard: clock.now() - 10 * seconds, attempts: 1 })
  await clock.advance(100 * seconds)
  expect([state(rig), rig.attempts.length]).toEqual(['connected', 1])
  await clock.advance(10 * seconds)
  expect(rig.link.status()).toMatchObject({ state: 'connected', silences: 1, attempts: 1 })
  expect([rig.attempts.length, rig.closed]).toEqual([2, 1])
  const degraded = rig.seen.find((status) => status.state === 'degraded')
  expect(degraded?.error).toEqual({ code: 'PLATFORM_SILENT', params: { platform: 'deaf', seconds: 120 } })
  await live(clock, rig, 1 * hours)
  expect(rig.link.status()).toMatchObject({ state: 'connected', silences: 1 })
})

test('a connection that never hears anything has its whole time, and is replaced ever more slowly', async () => {
  const clock = createFakeClock()
  const rig = openRig('mute', { clock })
  await clock.advance(119 * seconds)
  expect(rig.attempts).toHaveLength(1)
  await clock.advance(1 * seconds)
  expect(rig.link.status()).toMatchObject({ state: 'retrying', silences: 1, error: { code: 'PLATFORM_SILENT' } })
  await clock.advance(1 * hours)
  expect(rig.attempts).toHaveLength(13)
})

test.each([
  ['rejects', () => Promise.reject(new Error('no idea'))],
  ['hangs', () => new Promise<number>(() => undefined)],
  ['says nonsense', async () => Number.NaN],
])('a connection whose lastHeard %s has heard nothing', async (_title, lastHeard) => {
  const clock = createFakeClock()
  const rig = openRig('odd', { clock, connect: async () => ({ lastHeard }) })
  await clock.advance(150 * seconds)
  expect(rig.link.status()).toMatchObject({ silences: 1 })
})

test('a proof from the future is one of now', async () => {
  const clock = createFakeClock()
  const rig = openRig('ahead', { clock, connect: async () => ({ lastHeard: async () => 9e15 }) })
  await clock.advance(15 * seconds)
  expect(rig.link.status().lastHeard).toBe(clock.now() - 5 * seconds)
})

test('who is silent by nature is not disturbed', async () => {
  const clock = createFakeClock()
  const rig = openRig('hook', { clock, spec: { reception: 'on-demand' } })
  await clock.advance(1 * hours)
  expect(rig.link.status()).toMatchObject({ state: 'connected', silences: 0 })
  expect(rig.attempts).toHaveLength(1)
})

test('three platforms: one throws, one hangs in everything, and the third does not notice', async () => {
  const clock = createFakeClock()
  const never = () => new Promise<never>(() => undefined)
  const thrower = openRig('thrower', {
    clock,
    connect: () => {
      throw new TypeError('undefined is not a function')
    },
  })
  const hanger = openRig('hanger', { clock, connect: async (attempt) => (attempt === 1 ? never() : { close: never, send: never }) })
  const well = openRig('well', { clock, connect: async () => ({ send: async () => ({ status: 'sent', platformId: '1' }) }) })
  await well.link.settled
  const message = {} as never
  const call = { id: 'call', deadline: 1, signal: AbortSignal.abort(fail('INTERRUPTED')) }
  await live(clock, well, 40 * seconds)
  const blamed = { code: 'PLUGIN_FAILED', params: { during: 'connect', detail: 'undefined is not a function' } }
  expect(thrower.link.status()).toMatchObject({ state: 'retrying', error: blamed })
  expect(thrower.said).toContainEqual(['error', { plugin: 'thrower', stack: expect.stringContaining('platform-link.test.ts') }])
  expect(hanger.seen[0]).toMatchObject({ state: 'retrying', error: { code: 'TIMED_OUT' } })
  expect(state(hanger)).toBe('connected')
  // A send that hangs is given up soon after its caller has: nobody is held by it.
  const sending = hanger.link
    .connection()
    ?.send?.(message, call)
    .catch((error: unknown) => isAgentError(error) && error.code)
  await clock.advance(2 * seconds)
  expect(await sending).toBe('INTERRUPTED')
  hanger.link.breakOff({ code: 'PLUGIN_FAILED', params: {} })
  await clock.advance(20 * seconds)
  expect(hanger.link.status()).toMatchObject({ state: 'connected', attempts: 3 })
  expect(await well.link.connection()?.send?.(message, call)).toEqual({ status: 'sent', platformId: '1' })
  expect(well.link.status()).toMatchObject({ state: 'connected', attempts: 1, silences: 0 })
})

test('a plugin that failed by itself is connected again after a second, once', async () => {
  const clock = createFakeClock()
  const rig = openRig('own', { clock, connect: async () => ({}) })
  await rig.link.settled
  for (const pause of [1, 2]) {
    rig.attempts.at(-1)?.lost({ retryable: true, error: { code: 'PLUGIN_FAILED', params: {} } })
    await clock.advance(pause * seconds - 1)
    expect(state(rig)).toBe('retrying')
    await clock.advance(1)
    expect(state(rig)).toBe('connected')
  }
})

test('a connection that comes after its time is closed', async () => {
  const clock = createFakeClock()
  const close = () => void rig.closed++
  const connect = async (attempt: number) => {
    if (attempt === 1) await clock.sleep(40 * seconds)
    return { close: async () => close() }
  }
  const rig = openRig('late', { clock, connect, spec: { connectTimeoutMs: 5000 } })
  await clock.advance(9 * seconds)
  expect(rig.link.status()).toMatchObject({ state: 'connected', attempts: 2 })
  await clock.advance(31 * seconds)
  expect(rig.closed).toBe(1)
})

test('a state that cannot be written stops nothing', async () => {
  const clock = createFakeClock()
  const rig = openRig('full', { clock })
  ;(rig.seen as LinkStatus[]).push = () => {
    throw new Error('ENOSPC')
  }
  await clock.advance(0)
  expect(state(rig)).toBe('connected')
  expect(rig.said).toContainEqual(['error', expect.objectContaining({ platform: 'full', state: 'connected' })])
})

test('asked for it, a link says when its platform was heard until now, and waits no longer than a second', async () => {
  const clock = createFakeClock()
  const rig = openRig('asked', { clock })
  await rig.link.settled
  await clock.advance(3 * seconds)
  rig.hear()
  expect(rig.link.status().lastHeard).toBeNull()
  await rig.link.hear()
  expect(rig.link.status().lastHeard).toBe(clock.now())
  const deaf = openRig('deaf', { clock, connect: async () => ({ lastHeard: () => new Promise(() => undefined) }) })
  await deaf.link.settled
  const asking = deaf.link.hear()
  await clock.advance(1 * seconds)
  await asking
  expect(deaf.link.status().lastHeard).toBeNull()
})
