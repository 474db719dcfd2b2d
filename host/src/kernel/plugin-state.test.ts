import { expect, test } from 'vitest'
import { mayGo, type PluginState, transitions } from './plugin-state.ts'

const states = Object.keys(transitions) as PluginState[]
const from = (state: PluginState): readonly PluginState[] => states.filter((next) => mayGo(state, next))

/** Every state that a life may lead to. */
function reached(first: PluginState): readonly PluginState[] {
  const found = new Set<PluginState>([first])
  for (const state of found) for (const next of from(state)) found.add(next)
  return [...found]
}

test('from its first state a plugin may come to every other one, and each step is to a state that there is', () => {
  expect(reached('discovered').toSorted()).toEqual(states.toSorted())
  for (const each of states) expect(from(each)).toHaveLength(transitions[each].length)
})

test('what is blocked stays that, what failed or ended may begin again, and nothing ends before it was drained', () => {
  expect(from('blocked')).toEqual([])
  for (const state of ['failed', 'inactive'] as const) expect(mayGo(state, 'activating')).toBe(true)
  expect(states.filter((state) => mayGo(state, 'inactive'))).toEqual(['draining'])
})
