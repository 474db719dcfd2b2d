import { expect, test } from 'vitest'
import { openTestHome } from '../support/test-home.ts'
import { readClaimed } from './stored.ts'

test('a gateway that was killed before it had made its tables has no message in work', () => {
  using home = openTestHome()
  expect(readClaimed(home)).toEqual([])
  home.write('state.db', '')
  expect(readClaimed(home)).toEqual([])
})
