import type { Clock, SkillSummary } from '@agent/plugin-sdk'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import type { HostSkills } from '#skills/open-skills.ts'
import { keepShortly } from '../settings/keep-shortly.ts'
import { toolsNamed } from './tools-here.ts'

interface SkillOfferOptions {
  readonly catalog: Pick<Catalog, 'of'>
  readonly clock: Clock
  readonly skills: Pick<HostSkills, 'offer'>
}

/** The skills that a new conversation hears of: those that are of use with the tools that it may call. */
export function createSkillOffer({
  catalog,
  clock,
  skills,
}: SkillOfferOptions): (reachable: ReadonlySet<string>) => Promise<readonly SkillSummary[]> {
  const pluginSkills = (): string =>
    catalog
      .of('skills')
      .map(({ id, plugin }) => `${plugin.root} ${id}`)
      .join()
  // Each door has a set of tools that stays the same object for as long as the tools do.
  const offers = new WeakMap<ReadonlySet<string>, () => Promise<readonly SkillSummary[]>>()
  return (reachable) => {
    const known = offers.get(reachable) ?? keepShortly(clock, pluginSkills, () => skills.offer(toolsNamed(catalog, reachable)))
    offers.set(reachable, known)
    return known()
  }
}
