import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fail } from '@agent/plugin-sdk/errors'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { withFileLock } from '#config/home/file-lock.ts'
import type { Home } from '#config/home/home.ts'
import { readText } from '#kernel/read-text.ts'
import { finishPlacing, hashSkill } from './place-skill.ts'
import { isSkillName } from './skill-name.ts'

/** A skill of somebody else, as it was installed. */
export interface LockedSkill {
  /** What was asked for. */
  readonly source: string
  /** Commit, version or address that came of it. */
  readonly resolved: string
  /** Of its files. */
  readonly hash: string
  readonly installedAt: string
}

export type SkillLock = Readonly<Record<string, LockedSkill>>

const mostBytes = 1024 * 1024

export function readSkillLock({ files }: Pick<Home, 'files'>): SkillLock {
  const damaged = (): Error => fail('SKILL_LOCK_DAMAGED', { file: files.skillLock })
  const text = readText(files.skillLock, { mostBytes })
  if (text === undefined) return {}
  let found: { readonly lockVersion?: unknown; readonly skills?: unknown } | null
  try {
    found = JSON.parse(text) as typeof found
  } catch {
    throw damaged()
  }
  const { lockVersion, skills } = found ?? {}
  if (lockVersion !== 1 || typeof skills !== 'object' || skills === null) throw damaged()
  for (const [name, entry] of Object.entries(skills as Readonly<Record<string, Partial<LockedSkill> | null>>)) {
    const texts = [entry?.source, entry?.resolved, entry?.hash, entry?.installedAt]
    // What is listed is replaced and deleted: a name that leads elsewhere is none.
    if (!isSkillName(name) || !texts.every((each) => typeof each === 'string')) throw damaged()
  }
  return skills as SkillLock
}

/** Lets one process at a time change what is installed: `change` answers with the lock of afterwards. */
export function changeSkillLock(home: Pick<Home, 'files'>, change: (before: SkillLock) => SkillLock): void {
  withFileLock(home.files.skillLock, () => {
    const skills = change(readSkillLock(home))
    writeFileAtomic(home.files.skillLock, `${JSON.stringify({ lockVersion: 1, skills }, null, 2)}\n`)
  })
}

/** What became of an installed skill since. */
export function stateOf(home: Pick<Home, 'files'>, name: string, { hash }: LockedSkill): 'unchanged' | 'edited' | 'missing' {
  const folder = join(home.files.skills, name)
  finishPlacing(folder)
  if (!existsSync(folder)) return 'missing'
  return hashSkill(folder) === hash ? 'unchanged' : 'edited'
}
