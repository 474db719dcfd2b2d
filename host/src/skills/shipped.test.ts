import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { findSkills } from './find-skills.ts'
import { optionalFolder } from './hub/optional-skills.ts'
import { judgeSkill } from './judge-skill.ts'
import { createSkills } from './open-skills.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const shipped = join(root, 'skills')
const optional = optionalFolder(root)
const namesIn = (folder: string): readonly string[] => findSkills(folder).map((skill) => basename(skill.folder))

test.each([
  ['each skill that comes into a home', shipped],
  ['each optional skill', optional],
])('%s can be read, is called like its folder, and says in sixty characters what it is for', async (_which, home) => {
  const warnings: string[] = []
  const here = { platforms: ['linux'], environments: [] }
  const { index } = createSkills({ home, others: () => [], here, log: { warn: (text) => warnings.push(text) } })
  const { skills, broken } = await index()
  expect([warnings, broken]).toEqual([[], []])
  expect(skills.length).toBe(findSkills(home).length)
  const names = [...namesIn(shipped), ...namesIn(optional)]
  for (const { name, folder, category, description, related } of skills) {
    expect(folder).toBe(join(home, category ?? '', name))
    expect(description.length, name).toBeLessThanOrEqual(60)
    expect(
      related.filter((each) => !names.includes(each)),
      name,
    ).toEqual([])
  }
})

test('optional skills are at least three, have names that no other skill has, come into no home unasked, and need no look', async () => {
  const names = namesIn(optional)
  expect(names.length).toBeGreaterThanOrEqual(3)
  expect(names.filter((name) => namesIn(shipped).includes(name))).toEqual([])
  expect(readFileSync(join(shipped, 'manifest.json'), 'utf8')).not.toContain('optional')
  for (const { folder } of findSkills(optional)) expect(await judgeSkill(folder), folder).toMatchObject({ verdict: 'safe' })
})
