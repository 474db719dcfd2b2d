import { join } from 'node:path'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import type { HostSkills } from '#skills/open-skills.ts'
import { createSkillSecrets } from '#skills/secrets/skill-secrets.ts'
import type { Store } from '#store/store.ts'
import { createCallVerbs } from '#tools/memory/call-verbs.ts'
import { createMemory, type HostMemory, type MemoryOptions } from '#tools/memory/memory.ts'
import { openPendingChanges } from '#tools/memory/pending.ts'
import type { CallSecrets } from '#tools/toolbox/run-call.ts'
import type { ToolboxOptions } from '#tools/toolbox/toolbox.ts'
import type { WithSkillWriting } from './home-skills.ts'
import { jobsForTools, type LazyJobs } from './jobs/make-jobs.ts'
import { createCallSecrets } from './skills/call-secrets.ts'

interface SecretsParts {
  readonly home: Home
  readonly loaded: Loaded
  readonly skills: Pick<HostSkills, 'index' | 'view'>
}

interface MemoryParts extends Pick<MemoryOptions, 'catalog' | 'activator' | 'openContext' | 'clock' | 'log'> {
  readonly home: Home
  readonly loaded: Loaded
  readonly store: Store
}

/** The memory of a home. Nothing is read before somebody asks. */
export function makeMemory({ home, loaded, store, clock, log, catalog, activator, openContext }: MemoryParts): HostMemory {
  return createMemory({
    ...{ catalog, activator, openContext, clock, log, past: store.past },
    settings: () => loaded.config.memory,
    folder: home.files.memories,
    pending: openPendingChanges(join(home.files.pending, 'memory')),
  })
}

/** What tools may do with it, with earlier sessions, with skills and with jobs. */
export function memoryForTools({
  memory,
  store,
  skillWriting,
  jobs,
  ...parts
}: Pick<MemoryParts, 'store'> & SecretsParts & WithSkillWriting & { readonly memory: HostMemory; readonly jobs: LazyJobs }): Pick<
  ToolboxOptions,
  'offersMemory' | 'memoryTargets' | 'verbs' | 'callSecrets'
> {
  const verbs = createCallVerbs({ memory, past: store.past, skills: skillWriting, jobs: jobsForTools(jobs) })
  return { offersMemory: memory.offers, memoryTargets: memory.targets, verbs, callSecrets: secretsOfSkills(parts) }
}

function secretsOfSkills({ home, loaded, skills }: SecretsParts): CallSecrets {
  const read = (name: string): string | undefined => loaded.environment.reference(name, { secret: true })
  return createCallSecrets(createSkillSecrets({ skills, grants: home.files.skillGrants, read }), skills)
}
