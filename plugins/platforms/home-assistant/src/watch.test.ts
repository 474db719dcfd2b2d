import { createFakeClock } from '@agent/plugin-sdk/testing'
import { expect, test } from 'vitest'
import { config } from './config.ts'
import { createWatch, isWatching } from './watch.ts'

function openRig(extra: object) {
  const clock = createFakeClock()
  const watch = createWatch(config.parse(extra), clock)
  const change = (entity: string, before: string | null = 'off', after: string | null = 'on'): boolean => {
    const state = (value: string | null) => (value === null ? null : { entity_id: entity, state: value })
    return watch({ entity_id: entity, old_state: state(before), new_state: state(after) }) !== undefined
  }
  return { clock, change }
}

test.each<[object, readonly [light: boolean, sensor: boolean]]>([
  [{}, [false, false]],
  [{ watch_domains: ['light'] }, [true, false]],
  [{ watch_entities: ['sensor.a'] }, [false, true]],
  [{ watch_all: true }, [true, true]],
  [{ watch_all: true, ignore_entities: ['light.a'] }, [false, true]],
  [{ watch_entities: ['light.a'], ignore_entities: ['light.a'] }, [false, false]],
  [{ watch_domains: ['light.a', 'ligh'] }, [false, false]],
])('%j watches %j', (extra, [light, sensor]) => {
  const { change } = openRig(extra)
  expect([change('light.a'), change('sensor.a')]).toEqual([light, sensor])
})

test('only a change of the state itself counts', () => {
  const { change } = openRig({ watch_all: true })
  expect(change('a.b', 'on', 'on')).toBe(false)
  expect(change('a.b', null, 'on')).toBe(false)
  expect(change('a.b', 'on', null)).toBe(false)
  for (const empty of ['unknown', 'unavailable']) expect([change('a.b', empty, 'on'), change('a.b', 'on', empty)]).toEqual([false, false])
  expect(change('a.b')).toBe(true)
})

test('an entity is quiet for a while after it was told, each for itself', async () => {
  const { clock, change } = openRig({ watch_all: true, cooldown_seconds: 10 })
  expect([change('a.b'), change('a.b'), change('a.c')]).toEqual([true, false, true])
  await clock.advance(9999)
  expect(change('a.b')).toBe(false)
  await clock.advance(1)
  expect([change('a.b'), change('a.b')]).toEqual([true, false])
})

test('nothing named is nothing watched', () => {
  expect([{}, { ignore_entities: ['a.b'] }].map((extra) => isWatching(config.parse(extra)))).toEqual([false, false])
  const some = [{ watch_all: true }, { watch_domains: ['a'] }, { watch_entities: ['a.b'] }]
  expect(some.map((extra) => isWatching(config.parse(extra)))).toEqual([true, true, true])
})
