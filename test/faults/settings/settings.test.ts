// @module-tag process
import { expect, test } from 'vitest'
import { mutations } from './mutations.ts'
import { judgeSettings } from './run.ts'

test('spoilt settings are named without a trace, a hang, a secret or a lost byte', async () => {
  const count = Object.keys(mutations).length
  const { rows, problems } = await judgeSettings({ seed: 7, count, programEvery: 13 })
  expect(problems).toEqual([])
  expect(rows.map(({ cases }) => cases)).toEqual(rows.map(() => 1))
}, 120_000)
