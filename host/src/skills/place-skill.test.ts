import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hashSkill, placeSkill } from './place-skill.ts'

test('the conversation that tries a skill is none of its files', () => {
  const root = mkdtempSync(join(tmpdir(), 'place-skill-'))
  try {
    const [from, to] = [join(root, 'tea'), join(root, 'home', 'tea')]
    mkdirSync(join(from, 'more'), { recursive: true })
    writeFileSync(join(from, 'SKILL.md'), 'Warm the pot.')
    const before = hashSkill(from)
    writeFileSync(join(from, 'eval.yaml'), 'name: tea')
    expect(hashSkill(from)).toBe(before)
    writeFileSync(join(from, 'more', 'eval.yaml'), 'a file like others')
    expect(hashSkill(from)).not.toBe(before)
    placeSkill(from, to)
    expect(['SKILL.md', 'eval.yaml', 'more/eval.yaml'].map((file) => existsSync(join(to, file)))).toEqual([true, false, true])
  } finally {
    rmSync(root, { recursive: true })
  }
})
