import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findSkills } from './find-skills.ts'
import { createSkills } from './open-skills.ts'

const home = fileURLToPath(new URL('../../../skills', import.meta.url))

test('each skill of the program can be read, is called like its folder, and says in sixty characters what it is for', async () => {
  const warnings: string[] = []
  const here = { platforms: ['linux'], environments: [] }
  const { index } = createSkills({ home, others: () => [], here, log: { warn: (text) => warnings.push(text) } })
  const { skills, broken } = await index()
  expect([warnings, broken]).toEqual([[], []])
  expect(skills.length).toBe(findSkills(home).length)
  const names = skills.map(({ name }) => name)
  for (const { name, folder, category, description, related } of skills) {
    expect(folder).toBe(join(home, category ?? '', name))
    expect(description.length, name).toBeLessThanOrEqual(60)
    expect(
      related.filter((each) => !names.includes(each)),
      name,
    ).toEqual([])
  }
})
