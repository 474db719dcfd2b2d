import { type Dirent, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { kinds } from '#kernel/kinds.ts'

/** What makes a folder a skill. */
export const skillFile = kinds.skills.file

/** A conversation that tries the skill, for its authors: the model does not see it, and no home gets it. */
export const trialFile = 'eval.yaml'

/** A folder with a SKILL.md. */
export interface SkillPlace {
  readonly folder: string
  readonly category?: string
  /** What it has to be called. */
  readonly name?: string
  /** Whose it is; the person's own where nobody is named. */
  readonly plugin?: string
}

/** The skills of a folder: `<name>/SKILL.md` and `<category>/<name>/SKILL.md`, by name. */
export function findSkills(root: string): readonly SkillPlace[] {
  return listFolders(root).flatMap((name): readonly SkillPlace[] => {
    const folder = join(root, name)
    if (existsSync(join(folder, skillFile))) return [{ folder }]
    return listFolders(folder)
      .map((inner) => join(folder, inner))
      .filter((inner) => existsSync(join(inner, skillFile)))
      .map((inner) => ({ folder: inner, category: name }))
  })
}

/** Files below a skill's folder beside its SKILL.md and its conversation, as paths inside of it. Links and what begins with a dot are left out. */
export function listFiles(folder: string, limit: number): readonly string[] {
  const found: string[] = []
  const walk = (inside: string): void => {
    for (const entry of list(join(folder, inside))) {
      const path = inside === '' ? entry.name : `${inside}/${entry.name}`
      if (entry.isDirectory()) walk(path)
      else if (entry.isFile() && path !== skillFile && path !== trialFile) found.push(path)
      if (found.length >= limit) return
    }
  }
  walk('')
  return found
}

function listFolders(folder: string): readonly string[] {
  return list(folder).flatMap((entry) => (entry.isDirectory() || entry.isSymbolicLink() ? [entry.name] : []))
}

function list(folder: string): readonly Dirent[] {
  // Most homes have no skills, and an error costs more than this question.
  if (!existsSync(folder)) return []
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter(({ name }) => !name.startsWith('.'))
      .sort((left, right) => (left.name < right.name ? -1 : 1))
  } catch {
    // What cannot be listed keeps nobody from talking to the agent.
    return []
  }
}
