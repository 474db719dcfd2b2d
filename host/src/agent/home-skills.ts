import { join } from 'node:path'
import type { Clock, Log } from '@agent/plugin-sdk'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { lookAround } from '#skills/here.ts'
import { createSkills, type HostSkills } from '#skills/open-skills.ts'
import { createSkillWriting, type SkillWriting } from '#skills/writing/skill-writing.ts'
import type { HostMemory } from '#tools/memory/memory.ts'
import { findToolsHere } from './skills/tools-here.ts'

export interface HomeSkillsOptions {
  readonly home: Home
  /** Whose plugins bring skills too; undefined: only those of the home. */
  readonly catalog?: Pick<Catalog, 'of' | 'plugins'>
  /** By which it is known which tools work; undefined: no skill is held back for want of one. */
  readonly loaded?: Loaded
  /** Leaves out what people have put into the home. */
  readonly safeMode: boolean
  readonly log: Pick<Log, 'warn'>
}

/** The skills of a home on this machine. */
export function openHomeSkills({ home, catalog, loaded, safeMode, log }: HomeSkillsOptions): HostSkills {
  return createSkills({
    home: safeMode ? undefined : home.files.skills,
    bundles: safeMode ? undefined : home.files.skillBundles,
    others: () =>
      (catalog?.of('skills') ?? []).map(({ id, plugin, spec }) => ({
        ...{ name: id, folder: join(plugin.root, spec.path), plugin: plugin.manifest.id },
      })),
    here: lookAround(process.platform),
    forInstructions: () => ({ files: home.path, settings: loaded?.config.skills.config ?? {} }),
    tools: catalog && loaded && (() => findToolsHere({ catalog, loaded })),
    cache: home.files.skillIndex,
    log,
  })
}

export interface WithSkillWriting {
  readonly skillWriting: SkillWriting
}

interface WritingParts {
  readonly home: Home
  readonly loaded: Loaded
  readonly skills: HostSkills
  readonly memory: Pick<HostMemory, 'wantsApproval'>
  readonly clock: Clock
}

/** What the agent may do with the skills of its home. Nothing is read before it wants to. */
export function makeSkillWriting({ home, loaded, skills, memory, clock }: WritingParts): SkillWriting {
  return createSkillWriting({
    ...{ skills, clock, home: home.files.skills, made: home.files.skillsMade, pending: join(home.files.pending, 'skills') },
    settings: () => {
      const { guard_agent_created: guard, write_approval: approval } = loaded.config.skills
      return { guard, approval, approvalOfMemory: memory.wantsApproval() }
    },
  })
}
