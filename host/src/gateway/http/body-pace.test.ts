import { expect, test } from 'vitest'
import { createBodyPace } from './body-pace.ts'

test('bodies that bring much in one turn go on one by one in later turns', () => {
  const turns: (() => void)[] = []
  const pace = createBodyPace((run) => turns.push(run))
  const said: string[] = []
  const body = (name: string) => ({ pause: () => void said.push(`${name} waits`), resume: () => void said.push(`${name} goes on`) })
  const bodies = ['a', 'b', 'c', 'd'].map(body)
  for (const each of bodies) pace(each as never, 65_536)
  expect(said).toEqual(['c waits', 'd waits'])
  for (let turn = turns.shift(); turn; turn = turns.shift()) {
    said.push('turn')
    turn()
  }
  expect(said.slice(2)).toEqual(['turn', 'c goes on', 'turn', 'd goes on'])
})

test('a body that comes slowly never waits', () => {
  const turns: (() => void)[] = []
  const pace = createBodyPace((run) => turns.push(run))
  const said: string[] = []
  for (let piece = 0; piece < 10; piece++) {
    pace({ pause: () => void said.push('waits'), resume: () => undefined } as never, 65_536)
    turns.shift()?.()
  }
  expect([said, turns]).toEqual([[], []])
})
