import type { Panel } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { requireHostVerb } from '#kernel/activation/plugin-context.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { limitSkills } from './skills/limit-skills.ts'

type PanelHost = Pick<Parameters<Panel['open']>[0], 'changed' | 'skills' | 'logs' | 'toolsets' | 'jobs'>

/** What is asked of the parts of the program that show panels; a process that shows none has none. */
export type PanelServices = Pick<PanelHost, 'logs' | 'toolsets'>

export interface PanelHostParts {
  readonly skills: PanelHost['skills']
  readonly services: PanelServices | undefined
  readonly jobs: PanelHost['jobs']
  readonly changed: () => void
}

/** What a panel may ask of the host: each verb only where its manifest asks for it. */
export function createPanelHost(contribution: Contribution<'panel'>, { skills, services, jobs, changed }: PanelHostParts): PanelHost {
  const need = (verb: 'skills' | 'logs' | 'toolsets' | 'jobs'): void => requireHostVerb(contribution, verb)
  const served = (verb: 'logs' | 'toolsets'): PanelServices => {
    need(verb)
    if (services) return services
    throw fail('PLUGIN_FAILED', { plugin: contribution.plugin.manifest.id, during: verb, detail: 'this process shows no panels' })
  }
  return {
    changed,
    skills: limitSkills(skills, () => need('skills')),
    logs: { read: async (wanted) => await served('logs').logs.read(wanted) },
    toolsets: {
      list: async () => await served('toolsets').toolsets.list(),
      turn: async (id, to) => await served('toolsets').toolsets.turn(id, to),
      setUp: async (id) => await served('toolsets').toolsets.setUp(id),
    },
    jobs: limitJobs(jobs, () => need('jobs')),
  }
}

function limitJobs(jobs: PanelHost['jobs'], need: () => void): PanelHost['jobs'] {
  const asked = <Args extends readonly unknown[], T>(verb: (...args: Args) => Promise<T>): ((...args: Args) => Promise<T>) => {
    return async (...args) => {
      need()
      return await verb(...args)
    }
  }
  return {
    ...{ create: asked(jobs.create), list: asked(jobs.list), edit: asked(jobs.edit), act: asked(jobs.act) },
    ...{ due: asked(jobs.due), runs: asked(jobs.runs) },
  }
}
