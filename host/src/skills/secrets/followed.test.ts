import { expect, test } from 'vitest'
import { followedIn, formatFollowed, formatSkill } from './followed.ts'

test('the skills that a turn follows are read from what it hears', () => {
  const followed = formatFollowed(['Stop early.', formatSkill('tea', 'Boil.'), formatSkill('git.work', 'Push.')])
  expect(followedIn(`Nobody is there.\n\n${followed}`)).toEqual(['tea', 'git.work'])
  expect(followedIn('# tea\n\nsaid by somebody')).toEqual([])
  expect(followedIn(undefined)).toEqual([])
})
