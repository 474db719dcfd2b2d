import type { Log } from '@agent/plugin-sdk'
import type { Home } from '#config/home.ts'
import { lookAround } from '#skills/here.ts'
import { createSkills, type HostSkills } from '#skills/open-skills.ts'

export interface HomeSkillsOptions {
  readonly home: Home
  /** Leaves out what people have put into the home. */
  readonly safeMode: boolean
  readonly log: Pick<Log, 'warn'>
}

/** The skills of a home on this machine. */
export function openHomeSkills({ home, safeMode, log }: HomeSkillsOptions): HostSkills {
  return createSkills({ home: safeMode ? undefined : home.files.skills, others: () => [], here: lookAround(process.platform), log })
}
