import { basename, join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { readVersion } from '#config/version.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { findSkills } from '../find-skills.ts'
import { placeSkill } from '../place-skill.ts'

/** Folder of the skills that come with the program and are put into no home unasked. */
export const optionalFolder = (installRoot: string): string => join(installRoot, 'skills', 'optional')

/** Copies one of them to where it is judged; the answer is the version that it is of. */
export function fetchOptional(name: string, to: string, installRoot: string): string {
  const all = findSkills(optionalFolder(installRoot))
  const found = all.find(({ folder }) => basename(folder) === name)
  if (!found) {
    const nearest = nearestName(
      name,
      all.map(({ folder }) => basename(folder)),
    )
    throw fail('SKILL_NOT_OPTIONAL', nearest === undefined ? { skill: name } : { skill: name, nearest })
  }
  placeSkill(found.folder, to)
  return `agent ${readVersion(installRoot)}`
}
