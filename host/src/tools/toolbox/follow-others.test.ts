import type { Call } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import type { OtherCall, ToolDone } from '../tool-turn.ts'
import { followOthers } from './follow-others.ts'

const callOf = (signal: AbortSignal): Call => ({ id: 'c', signal, deadline: 1000 }) as Call
const other = (name: string): OtherCall => ({ name, args: {}, signal: new AbortController().signal })
const doneOf = (name: string): ToolDone => ({ outcome: { id: 'c', name, ok: true, text: `${name} said` }, durationMs: 1 })

/** Calls that end when they are told to. */
function openSlow() {
  const begun: string[] = []
  const ends: (() => void)[] = []
  const callOther = ({ name }: OtherCall): Promise<ToolDone> => {
    begun.push(name)
    return new Promise((resolve) => ends.push(() => resolve(doneOf(name))))
  }
  return { begun, ends, callOther }
}
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

test('calls of others run one after another, each with its own answer', async () => {
  const { begun, ends, callOther } = openSlow()
  const others = followOthers(callOf(new AbortController().signal), callOther)
  const [one, two] = [others.call(other('one')), others.call(other('two'))]
  await settle()
  expect(begun).toEqual(['one'])
  ends[0]?.()
  expect((await one).outcome.text).toBe('one said')
  await settle()
  expect(begun).toEqual(['one', 'two'])
  ends[1]?.()
  expect((await two).outcome.text).toBe('two said')
})

test('one that fails keeps no other from running', async () => {
  const others = followOthers(callOf(new AbortController().signal), async ({ name }) => {
    if (name === 'broken') throw new Error('boom')
    return doneOf(name)
  })
  const broken = others.call(other('broken'))
  const fine = others.call(other('fine'))
  await expect(broken).rejects.toThrow('boom')
  expect((await fine).outcome.ok).toBe(true)
})

test('the end waits for the call that runs, stops it, and lets none begin that waits', async () => {
  const { begun, ends, callOther } = openSlow()
  const others = followOthers(callOf(new AbortController().signal), callOther)
  const [first, second] = [others.call(other('first')), others.call(other('second')).catch((error: unknown) => error)]
  await settle()
  let ended = false
  const ending = others.end().then(() => {
    ended = true
  })
  await settle()
  expect([others.within.signal.aborted, ended]).toEqual([true, false])
  ends[0]?.()
  await first
  await ending
  expect(await second).toMatchObject({ code: 'INTERRUPTED' })
  expect(begun).toEqual(['first'])
})

test('who gives up the tool gives up its calls', async () => {
  const stop = new AbortController()
  const others = followOthers(callOf(stop.signal), async ({ name }) => doneOf(name))
  expect(others.within).toMatchObject({ id: 'c', deadline: 1000 })
  stop.abort(new Error('given up'))
  await expect(others.call(other('late'))).rejects.toThrow('given up')
})

test('a tool makes a thousand calls, and not one more', async () => {
  const others = followOthers(callOf(new AbortController().signal), async ({ name }) => doneOf(name))
  const calls = Array.from({ length: 1000 }, () => others.call(other('one')))
  expect((await Promise.all(calls)).length).toBe(1000)
  await expect(others.call(other('one'))).rejects.toMatchObject({ code: 'TOOL_CALL_REFUSED', params: { tool: 'one' } })
})
