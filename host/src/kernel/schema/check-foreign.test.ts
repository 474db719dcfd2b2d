import { expect, test } from 'vitest'
import { systemClock } from '../clock.ts'
import { createForeignCheck } from './check-foreign.ts'

const checkForeign = createForeignCheck(systemClock)

test('a schema of somebody else is checked like any other', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
  expect(await checkForeign(schema, { city: 'Rome' })).toMatchObject({ ok: true })
  expect(await checkForeign(schema, {})).toMatchObject({ ok: false, path: 'city' })
})

test('a pattern that would keep the check busy for ever is given up', async () => {
  const checked = await checkForeign({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`)
  expect(checked).toMatchObject({ ok: false, problem: expect.stringMatching(/^cannot be checked: it takes more than/) })
})

test('a schema that is nested without end is refused', async () => {
  let schema: Record<string, unknown> = { type: 'string' }
  for (let depth = 0; depth < 20_000; depth++) schema = { type: 'array', items: schema }
  expect(await checkForeign(schema, [])).toMatchObject({
    ok: false,
    problem: expect.stringMatching(/^cannot be checked: (?!it takes)/),
  })
})

test('checks wait for one another, and others have as much time after each as it took', async () => {
  const waits: number[] = []
  const wakes: (() => void)[] = []
  let now = 0
  const checkSlowly = createForeignCheck({
    now: () => (now += 50),
    sleep: (ms) => {
      waits.push(ms)
      return new Promise((resolve) => wakes.push(resolve))
    },
  })
  expect(await checkSlowly({ type: 'string' }, 'a')).toMatchObject({ ok: true })
  let isSecondDone = false
  const second = checkSlowly({ type: 'string' }, 'b').then(() => {
    isSecondDone = true
  })
  await new Promise(setImmediate)
  expect([isSecondDone, waits]).toEqual([false, [50]])
  wakes[0]?.()
  await second
})

/** A check that never ends, on a machine that gives each attempt so many milliseconds of the processor. */
async function attemptsWhen(spent: number): Promise<number> {
  let attempts = 0
  const checkBusily = createForeignCheck({
    ...{ now: () => 0, sleep: async () => undefined },
    processorTime: () => {
      attempts += 0.5
      return attempts * 2 * spent
    },
  })
  await checkBusily({ type: 'string', pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`)
  return attempts
}

test('an attempt that had little of the processor says nothing of the schema', async () => {
  expect(await attemptsWhen(60)).toBe(2)
  expect(await attemptsWhen(20)).toBe(6)
})
