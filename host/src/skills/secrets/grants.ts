import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { withFileLock } from '#config/home/file-lock.ts'
import { readText } from '#kernel/read-text.ts'

/** What a person gave to a skill as its files were then. */
export interface SkillGrant {
  /** Of the files of the skill. */
  readonly hash: string
  readonly variables: readonly string[]
}

type Grants = Readonly<Record<string, SkillGrant>>

const mostBytes = 1024 * 1024

/** A file that is missing or spoilt gives nothing to anybody. */
export function readGrants(file: string): Grants {
  try {
    const found = JSON.parse(readText(file, { mostBytes }) ?? '{}') as Readonly<Record<string, Partial<SkillGrant> | null>>
    return Object.fromEntries(Object.entries(found).flatMap(([skill, grant]) => (isGrant(grant) ? [[skill, grant]] : [])))
  } catch {
    return {}
  }
}

export function writeGrant(file: string, skill: string, grant: SkillGrant): void {
  withFileLock(file, () => writeFileAtomic(file, `${JSON.stringify({ ...readGrants(file), [skill]: grant }, null, 2)}\n`))
}

function isGrant(grant: Partial<SkillGrant> | null): grant is SkillGrant {
  return typeof grant?.hash === 'string' && Array.isArray(grant.variables) && grant.variables.every((name) => typeof name === 'string')
}

/** The variables that any skill gets. */
export const givenVariables = (file: string): readonly string[] => Object.values(readGrants(file)).flatMap(({ variables }) => variables)
