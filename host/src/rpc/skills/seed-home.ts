import { join } from 'node:path'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import type { Home } from '#config/home/home.ts'
import { fileReason } from '#kernel/read-text.ts'
import { isSeeded, type SeedPlaces, seedSkills } from '#skills/seed-skills.ts'
import { openHomeOf } from '../home/open-home-of.ts'
import { applySafeMode } from '../home/safe-mode.ts'
import type { HomeContext } from '../home-context.ts'

export function seedPlacesOf(context: Pick<HomeContext, 'installRoot' | 'environment' | 'profile'>): SeedPlaces {
  return { shipped: join(context.installRoot, 'skills'), home: openHomeOf(context) }
}

/** Marks a home that wants none of the skills that come with the program. */
export function declineSkills({ files }: Pick<Home, 'files'>): void {
  writeFileAtomic(files.noBundledSkills, '')
}

/** Puts the skills that come with the program into the home where they are new. It is done at a start; a failure is told and hinders nobody. */
export function seedHome(
  context: Pick<HomeContext, 'installRoot' | 'environment' | 'profile' | 'note'>,
  flags: { readonly safeMode?: true } = {},
): void {
  if (applySafeMode(context, flags).safeMode) return
  const places = seedPlacesOf(context)
  try {
    if (!isSeeded(places)) seedSkills(places)
  } catch (error) {
    context.note(`The skills that come with agent are not all there: ${fileReason(error)}.`)
  }
}
