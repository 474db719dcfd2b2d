import { openHomeSkills } from '#agent/home-skills.ts'
import type { HostSkills } from '#skills/open-skills.ts'
import { openCatalog } from '../home/open-catalog.ts'
import { applySafeMode } from '../home/safe-mode.ts'
import type { HomeContext } from '../home-context.ts'

/** The skills that an agent of this home would have. */
export async function openSkills(context: Pick<HomeContext, 'installRoot' | 'environment' | 'profile'>): Promise<HostSkills> {
  const { home, catalog } = await openCatalog(context)
  return openHomeSkills({ home, catalog, safeMode: applySafeMode(context).safeMode === true, log: { warn: () => undefined } })
}
