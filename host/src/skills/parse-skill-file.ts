import { type ParsedSkill, parseSkill } from '@agent/plugin-sdk'
import { skillFile } from './find-skills.ts'
import { readInside } from './read-inside.ts'

/** Reads the SKILL.md of a folder, which has to be called so where a name is told. */
export async function parseSkillFile(folder: string, name?: string): Promise<ParsedSkill> {
  const found = readInside(folder, skillFile)
  if (!found.ok) return found
  // The library is loaded by those only who have a skill.
  const yaml = await import('yaml')
  const parsed = parseSkill(found.text, (text) => yaml.parse(text, { logLevel: 'error' }))
  if (!parsed.ok || name === undefined || parsed.skill.name === name) return parsed
  return { ok: false, problem: `says that it is ${parsed.skill.name}, not ${name}` }
}
