import { expect, test } from 'vitest'
import { fail } from '../contract/errors.ts'
import type { WireError } from '../contract/wire.ts'
import { createFakeClock } from '../testing/rig/fake-clock.ts'
import { connectWithin, openLife } from './life.ts'

function openRig() {
  const clock = createFakeClock()
  const host = new AbortController()
  const told: { readonly retryable: boolean; readonly error: WireError }[] = []
  const effects: (() => void | Promise<void>)[] = []
  const context = { clock, signal: host.signal, lost: (reason: (typeof told)[number]) => void told.push(reason) }
  const whole = { ...context, effect: (undo: () => void | Promise<void>) => void effects.push(undo) }
  const life = openLife(whole, 'Chat')
  return { context: whole, clock, host, told, effects, life }
}

test('it was heard when it was opened, and then only when something came', async () => {
  const { clock, life } = openRig()
  const opened = clock.now()
  await clock.advance(5000)
  expect(life.lastHeard()).toBe(opened)
  life.hear()
  await clock.advance(1)
  expect(life.lastHeard()).toBe(opened + 5000)
})

test('a break is told once, with the first error, and fires the signal', () => {
  const { told, life } = openRig()
  life.serve()
  life.serve()
  life.end(new Error('reset'))
  life.end(new Error('later'))
  const error = { code: 'PLATFORM_LOST', params: { platform: 'Chat', detail: 'reset' } }
  expect(told).toEqual([{ retryable: true, error }])
  expect(life.signal.reason).toMatchObject({ code: 'PLATFORM_LOST', cause: expect.objectContaining({ message: 'reset' }) })
})

test.each([
  ['PLATFORM_AUTH', false],
  ['ENV_INVALID', false],
  ['PLATFORM_UNREACHABLE', true],
] as const)('%s keeps its code; that it is worth another try is %s', (code, retryable) => {
  const { told, life } = openRig()
  life.serve()
  life.end(fail(code, { platform: 'Chat', detail: 'no', name: 'TOKEN', problem: 'is empty' }))
  expect(told).toMatchObject([{ retryable, error: { code } }])
})

test('a mistake in the code is told as a failure of the plugin, and what a network says is not', async () => {
  const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
  const kinds = [
    [new TypeError('x is undefined'), 'PLUGIN_FAILED', TypeError],
    [new TypeError('fetch failed', { cause: refused }), 'PLATFORM_LOST', Error],
    [Object.assign(new TypeError('Invalid URL'), { code: 'ERR_INVALID_URL' }), 'PLATFORM_LOST', Error],
    [new SyntaxError('no JSON'), 'PLATFORM_LOST', Error],
  ] as const
  for (const [error, code, thrown] of kinds) {
    const { told, life, context } = openRig()
    life.serve()
    life.end(error)
    expect(told).toMatchObject([{ retryable: true, error: { code } }])
    const connecting = connectWithin(context, 'Chat', { signal: new AbortController().signal }, () => Promise.reject(error))
    await expect(connecting).rejects.toThrow(thrown)
    await expect(connecting).rejects.toMatchObject(thrown === TypeError ? error : { code: 'PLATFORM_UNREACHABLE' })
  }
})

test('before it serves nothing is told, and what broke by then is told when it does', () => {
  const { told, life } = openRig()
  life.end('gone')
  expect(told).toEqual([])
  life.serve()
  life.serve()
  expect(told).toMatchObject([{ error: { params: { detail: 'gone' } } }])
})

test('what is closed, and what is deactivated, ends without a word', async () => {
  const closed = openRig()
  closed.life.serve()
  closed.life.close()
  expect([closed.life.signal.aborted, closed.told]).toEqual([true, []])

  const undone = openRig()
  undone.life.serve()
  for (const undo of undone.effects) await undo()
  expect([undone.life.signal.aborted, undone.told]).toEqual([true, []])

  const gone = openRig()
  gone.life.serve()
  gone.host.abort()
  gone.life.end(new Error('reset'))
  expect(gone.told).toEqual([])
})
