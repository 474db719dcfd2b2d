import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { homeOf } from '#config/home/home.ts'
import { hashSkill, placeSkill } from './place-skill.ts'
import { changeSkillLock, readSkillLock, stateOf } from './skill-lock.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skill-lock-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const home = () => homeOf(join(root, 'home'), 'default')
const entry = { source: 'npm:x', resolved: 'x', hash: 'h', installedAt: '2026-01-01' }

function write(path: string, text: string): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  return path
}

test('what is written is read again; no file is an empty lock', () => {
  expect(readSkillLock(home())).toEqual({})
  changeSkillLock(home(), (before) => ({ ...before, tea: entry }))
  expect(readSkillLock(home())).toEqual({ tea: entry })
})

test.each([
  '{',
  '[]',
  'null',
  '{"lockVersion":2,"skills":{}}',
  '{"lockVersion":1,"skills":{"../x":{}}}',
  '{"lockVersion":1,"skills":{"tea":{"hash":1}}}',
])('a lock that says %s is damaged, and stays as it is', (text) => {
  write(home().files.skillLock, text)
  expect(() => changeSkillLock(home(), () => ({}))).toThrow(expect.objectContaining({ code: 'SKILL_LOCK_DAMAGED' }))
})

test('a placed skill is unchanged until somebody edits it; nothing else is left beside it', () => {
  const from = join(root, 'tea')
  write(join(from, 'SKILL.md'), 'one')
  const to = join(home().files.skills, 'tea')
  const state = () => stateOf(home(), 'tea', { ...entry, hash: hashSkill(from) })
  expect(state()).toBe('missing')
  placeSkill(from, to)
  expect(state()).toBe('unchanged')
  write(join(from, 'SKILL.md'), 'two')
  placeSkill(from, to)
  expect(state()).toBe('unchanged')
  write(join(to, 'more.md'), 'mine')
  expect(state()).toBe('edited')
  expect(readdirSync(home().files.skills)).toEqual(['tea'])
})
