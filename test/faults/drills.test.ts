import { expect, test } from 'vitest'
import { drills } from './drills/list.ts'
import { findDrillProblems } from './drills/report.ts'
import { runDrill } from './drills/run-drill.ts'

// The short ones; `npm run test:faults -- drills` runs all of them.
test.each([['endless loop'], ['heap out of memory'], ['process.exit'], ['unhandled rejection'], ['garbage over the border']])(
  'three platforms answer everything while another plugin has: %s',
  async (name) => {
    const drill = drills.find((each) => each.name === name)
    if (!drill) throw new Error(`There is no drill ${name}.`)
    expect(findDrillProblems(await runDrill(drill, 5))).toEqual([])
  },
  60_000,
)

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
