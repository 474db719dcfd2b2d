import { expect, test } from 'vitest'
import { createShellStates, parseTold } from './shell-state.ts'

test('a shell that was cut short told nothing', () => {
  expect(parseTold('/a\n\0export A=1\n\0')).toBe(undefined)
  expect(parseTold('/a\nb\n\0export A=1\n\0' + '71\n\0')).toEqual({ folder: '/a\nb', variables: 'export A=1\n', leaves: true })
  expect(parseTold('/a\n\0\0\0')).toMatchObject({ leaves: false })
})

test('each session has its own state, the oldest is forgotten, and variables without measure are not kept', () => {
  const states = createShellStates()
  const told = { folder: '/a', variables: 'export A=1', leaves: false }
  states.keep('ses_1', told, { folder: true })
  states.keep('ses_1', { ...told, folder: '/b', variables: 'x'.repeat(200_000) }, { folder: false })
  states.keep('ses_1', undefined, { folder: true })
  expect(states.of('ses_1', '/w')).toEqual({ folder: '/a', variables: 'export A=1' })
  expect(states.of('ses_2', '/w')).toEqual({ folder: '/w', variables: undefined })
  for (let at = 0; at < 500; at++) states.keep(`other_${at}`, told, { folder: true })
  expect(states.of('ses_1', '/w').folder).toBe('/w')
})
