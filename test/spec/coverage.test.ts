import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { requirements } from './requirements.ts'
import { walkSpec } from './walk.ts'

const file = process.env.AGENT_SPEC ?? fileURLToPath(new URL('../../../shared/spec/agent-service.md', import.meta.url))

/** Sentences of a text that are long enough to be told from everyday phrases. */
function sentencesOf(text: string): readonly string[] {
  return text.split(/(?<=[.;:])\s+/).filter((sentence) => sentence.split(/\s+/).length >= 9)
}

// The specification is not part of the repository: where it is absent there is nothing to compare with.
if (existsSync(file)) {
  test('every row and rule of the specification has a requirement, and none stands for a row that is gone', () => {
    const rows = walkSpec(readFileSync(file, 'utf8'))
    const known = new Set(Object.values(requirements).map((requirement) => requirement.hash))
    const there = new Set(rows.map((row) => row.hash))
    expect(rows.length).toBeGreaterThan(200)
    expect(rows.filter((row) => !known.has(row.hash)).map((row) => `${row.hash} ${row.section}: ${row.text}`)).toEqual([])
    expect(
      Object.entries(requirements)
        .filter(([, requirement]) => !there.has(requirement.hash))
        .map(([id]) => id),
    ).toEqual([])
  })

  test('requirements are said in our own words', () => {
    const text = readFileSync(file, 'utf8').replace(/\s+/g, ' ')
    const copied = Object.entries(requirements).filter(([, { text: own }]) => sentencesOf(own).some((sentence) => text.includes(sentence)))
    expect(copied.map(([id]) => id)).toEqual([])
  })
}

test('ids are dotted words, and every requirement says something', () => {
  for (const [id, requirement] of Object.entries(requirements)) {
    expect(id).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)+$/)
    expect(requirement.text, id).toMatch(/^\S.*\.$/)
    expect(requirement.hash, id).toMatch(/^[0-9a-f]{12}$/)
  }
})
