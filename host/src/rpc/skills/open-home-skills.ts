import { openHomeSkills } from '#agent/home-skills.ts'
import type { HostSkills } from '#skills/open-skills.ts'
import { type OpenedCatalog, openCatalog } from '../home/open-catalog.ts'
import { applySafeMode } from '../home/safe-mode.ts'
import type { HomeContext } from '../home-context.ts'

type Context = Pick<HomeContext, 'installRoot' | 'environment' | 'profile'>

/** The skills that an agent of this home would have. */
export async function openSkills(context: Context): Promise<HostSkills> {
  return (await openSkillGround(context)).skills
}

/** The same, with what is installed. */
export async function openSkillGround(context: Context): Promise<OpenedCatalog & { readonly skills: HostSkills }> {
  const opened = await openCatalog(context)
  const safeMode = applySafeMode(context).safeMode === true
  return { ...opened, skills: openHomeSkills({ ...opened, safeMode, log: { warn: () => undefined } }) }
}
