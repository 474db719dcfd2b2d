import type { ModelEvent, ModelRequest } from '@agent/plugin-sdk'
import { expect, test } from 'vitest'
import { createTally, estimateInput, hearing, type Took } from './tally.ts'

const request: ModelRequest = { model: 'big', system: 'x'.repeat(400), messages: [], tools: [], session: 's' }
const usage = { input: 7, output: 3, cacheRead: 0, cacheWrite: 0, reasoning: 0 }
const failed = (kind: 'timeout' | 'rate_limit' | 'unknown', code = 'MODEL_UNKNOWN'): ModelEvent => ({
  ...{ type: 'failed', class: kind },
  error: { code, params: {} } as never,
})
const said: ModelEvent = { type: 'text', delta: 'y'.repeat(40) }

async function took(events: readonly ModelEvent[]): Promise<Took> {
  async function* stream() {
    yield* events
  }
  const tally = createTally(request)
  const passed: ModelEvent[] = []
  for await (const event of hearing(tally, stream())) passed.push(event)
  expect(passed).toEqual(events)
  return tally.took()
}

test('what a service says holds', async () => {
  expect(await took([said, { type: 'end', reason: 'stop', usage }])).toEqual({ usage, isEstimated: false })
})

test.each<[string, readonly ModelEvent[], number, number]>([
  ['one that was cut', [said, failed('unknown')], 10, 0],
  ['one that stopped without a last event', [said], 10, 0],
  ['one that thought and was broken off', [{ type: 'reasoning', delta: 'z'.repeat(20) }, failed('unknown', 'INTERRUPTED')], 5, 5],
  ['one that called', [{ type: 'call', id: '1', name: 'read', args: '{"a":1234}' }, failed('timeout')], 4, 0],
  ['one that fell silent', [failed('timeout')], 0, 0],
])('of a call without an end, %s, what was sent and received counts', async (_name, events, output, reasoning) => {
  const input = estimateInput(request)
  expect(input).toBeGreaterThan(100)
  expect(await took(events)).toEqual({ usage: { input, output, cacheRead: 0, cacheWrite: 0, reasoning }, isEstimated: true })
})

test('a call that was refused took nothing', async () => {
  expect(await took([failed('rate_limit')])).toMatchObject({ usage: { input: 0, output: 0 }, isEstimated: false })
})

test('a picture counts as one, whatever its file has, and letters of other scripts count each', () => {
  const url = `data:image/png;base64,${'A'.repeat(1_000_000)}`
  const withPicture = estimateInput({ ...request, messages: [{ role: 'user', parts: [{ type: 'image', url }] }] })
  expect(withPicture - estimateInput(request)).toBeLessThan(1700)
  expect(estimateInput({ ...request, system: '日'.repeat(400) })).toBeGreaterThan(400)
})
