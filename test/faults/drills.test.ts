import { expect, test } from 'vitest'
import { findDrillProblems } from './drills/report.ts'

test('a drill in which somebody else lost a message, heard it twice or was never there has failed', () => {
  const fine = { name: 'x', detectedMs: 1, recoveredMs: 1, said: 3, lost: 0, doubles: 0, problems: [] }
  expect(findDrillProblems(fine)).toEqual([])
  expect(findDrillProblems({ ...fine, lost: 1 })).toEqual(['x: 1 of 3 messages of the other platforms were not answered once'])
  expect(findDrillProblems({ ...fine, said: 0, doubles: 2, problems: ['it burned'] })).toEqual([
    'x: it burned',
    'x: nobody said anything',
    'x: 2 answers arrived twice',
  ])
})
