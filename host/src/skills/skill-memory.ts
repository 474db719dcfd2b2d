import { existsSync } from 'node:fs'
import type { Skill } from '@agent/plugin-sdk'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { readText } from '#kernel/read-text.ts'

/** What a skill says of itself, without its instructions. */
export type AboutSkill = Omit<Skill, 'text'>
/** The same, or why a file is no skill. */
export type ReadSkill = AboutSkill | { readonly problem: string }

/** What was read of skills, by file, until the file's stamp changes. */
export interface SkillMemory {
  find(file: string, stamp: string): ReadSkill | undefined
  keep(file: string, stamp: string, read: ReadSkill): void
  /** Lets the next process know what is new; a home that takes no files stops nobody. */
  save(): void
}

/** Raised when a skill says more of itself than before. */
const currentVersion = 5
const mostBytes = 4 * 1024 * 1024

interface Kept {
  readonly version: number
  readonly skills: Readonly<Record<string, readonly [stamp: string, about: AboutSkill]>>
}

/** With a path it is shared between processes: reading YAML takes longer than everything else about skills. */
export function openSkillMemory(path: string | undefined): SkillMemory {
  const known = new Map<string, readonly [stamp: string, read: ReadSkill]>(path === undefined ? [] : readKept(path))
  let isNew = false
  return {
    find(file, stamp) {
      const [before, read] = known.get(file) ?? []
      return before === stamp ? read : undefined
    },
    keep(file, stamp, read) {
      known.set(file, [stamp, read])
      isNew ||= !('problem' in read)
    },
    save() {
      if (path === undefined || !isNew) return
      isNew = false
      const skills = Object.fromEntries([...known].filter(([file, [, read]]) => !('problem' in read) && existsSync(file)))
      try {
        writeFileAtomic(path, JSON.stringify({ version: currentVersion, skills }), { mayBeLost: true })
      } catch {
        // The next process reads them all.
      }
    },
  }
}

/** A file that is missing, spoilt or of another version holds nothing. */
function readKept(path: string): readonly (readonly [string, readonly [string, AboutSkill]])[] {
  try {
    const { version, skills } = JSON.parse(readText(path, { mostBytes }) ?? '{}') as Partial<Kept>
    return version === currentVersion ? Object.entries(skills ?? {}) : []
  } catch {
    return []
  }
}
