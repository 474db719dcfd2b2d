import { expect, test } from 'vitest'
import { planTurn } from './plan-turn.ts'

const noon = new Date(2026, 10, 28, 12).getTime()

test.each([
  ['Move the shop to a new house!', '.agent/plans/2026-11-28-move-the-shop-to-a-new.md'],
  ['../../etc/passwd', '.agent/plans/2026-11-28-etc-passwd.md'],
  ['Où est l’été?', '.agent/plans/2026-11-28-où-est-l-été.md'],
  ['…', '.agent/plans/2026-11-28-plan.md'],
  [`${'x'.repeat(49)} y`, `.agent/plans/2026-11-28-${'x'.repeat(49)}.md`],
])('the plan for %j is written to a file of its day and its first words', (task, path) => {
  const { text, instructions } = planTurn(task, noon)
  expect(text).toBe(`Write a plan: ${task}`)
  expect(instructions).toContain(`to ${path} of the workspace, and change nothing but this file`)
})

test('without a task the plan is for what is talked about', () => {
  expect(planTurn('', noon).text).toBe('Write a plan for what we talk about.')
})
