import {
  findAnswerMisfit,
  type OpenPanel,
  type PanelAnswer,
  type PanelAnswers,
  type PanelManifest,
  type PanelRequest,
} from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import { checkSchema } from '#kernel/schema/json-schema.ts'
import { createPluginCalls, type PluginCallsOptions } from './calls/plugin-calls.ts'
import { checkpointsForPanels, type PanelCheckpointsParts } from './checkpoints/checkpoints-for-panels.ts'
import { conversationsForPanels, type PanelConversationsParts } from './context/conversations-for-panels.ts'
import { agentsForPanels, type PanelAgentsParts } from './delegation/agents-for-panels.ts'
import { jobsForPanels } from './jobs/jobs-for-panels.ts'
import type { LazyJobs } from './jobs/make-jobs.ts'
import { memoryForPanels, type PanelMemoryParts } from './memory/memory-for-panels.ts'
import { createPanelHost, type PanelHostParts, type PanelServices } from './panel-host.ts'
import { proposalsForPanels } from './skills/proposals-for-panels.ts'

export interface PluginPanelsOptions extends PluginCallsOptions<'panel'>, Omit<PanelConversationsParts, 'store'> {
  readonly catalog: Pick<Catalog, 'find'>
  readonly skills: PanelHostParts['skills']
  readonly services?: PanelServices | undefined
  readonly jobs: LazyJobs
  readonly checkpoints: PanelCheckpointsParts['checkpoints']
  readonly store: Pick<PanelCheckpointsParts & PanelAgentsParts, 'sessions'> & PanelConversationsParts['store']
  readonly childAgents: PanelAgentsParts['childAgents']
  readonly skillWriting: Parameters<typeof proposalsForPanels>[0]
  readonly memory: PanelMemoryParts
}

export interface PluginPanels {
  /** Asks a method of a panel that runs. What was filled in has to fit, and so has the answer. */
  run(panel: string, request: PanelRequest, signal: AbortSignal): Promise<PanelAnswer>
  /** Tells the id of a panel whose pages show something else now: a method of it has changed something, or it says so. */
  onChanged(listener: (panel: string) => void): () => void
  /** Ends what was replaced or removed, after what runs of it. */
  retire(contribution: Contribution<'panel'>): Promise<void>
  close(): Promise<void>
}

/** A larger answer would be drawn longer than anybody reads. */
const mostCharacters = 1_000_000

/** Panels of plugins: loaded when one of their pages is opened. */
export function createPluginPanels({ catalog, services, skills, ...options }: PluginPanelsOptions): PluginPanels {
  const { jobs, checkpoints, store, skillWriting, memory, childAgents, turns, loaded, length, ...calls } = options
  const listeners = new Set<(panel: string) => void>()
  const tellChanged = (panel: string): void => {
    for (const listener of listeners) listener(panel)
  }
  const { call, retire, close } = createPluginCalls<'panel', OpenPanel>({
    ...calls,
    openContext: async (contribution) => {
      const opened = await options.openContext(contribution)
      const changed = (): void => tellChanged(contribution.id)
      const { signal } = opened.context
      const owned = { jobs: jobsForPanels(jobs), checkpoints: checkpointsForPanels({ ...store, checkpoints, signal }) }
      const skillProposals = proposalsForPanels(skillWriting)
      const remembered = memoryForPanels(memory, signal)
      const conversations = conversationsForPanels({ turns, store, loaded, length }, signal)
      const asked = { conversations, agents: agentsForPanels({ ...store, childAgents }), skillProposals }
      const host = createPanelHost(contribution, { skills, services, ...owned, ...remembered, ...asked, changed })
      return { ...opened, context: Object.freeze({ ...opened.context, ...host }) }
    },
  })
  return {
    retire,
    close,
    onChanged: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async run(id, request, signal) {
      const contribution = catalog.find('panel', id)
      const method = contribution?.spec.methods.find(({ name }) => name === request.method)
      if (!contribution || !method)
        throw fail('HTTP_NOT_FOUND', { what: `method ${request.method.slice(0, 100)} of a panel ${id.slice(0, 100)}` })
      const checked = await checkSchema(method.input ?? nothing, request.input)
      if (!checked.ok) throw fail('HTTP_INVALID', { param: checked.path || 'input', problem: checked.problem })
      const input = checked.value as PanelRequest['input']
      const answer = await call(contribution, {
        ...{ what: `${id}.${method.name}`, signal },
        run: async (opened, bounds) => requireFit(contribution.spec, method, await opened.run({ ...request, input }, bounds)),
      })
      if (method.changes) tellChanged(id)
      return answer
    },
  }
}

const nothing = { type: 'object', properties: {}, additionalProperties: false }

function requireFit({ pages }: PanelManifest, { name, changes }: PanelManifest['methods'][number], answer: PanelAnswer): PanelAnswer {
  const shown = pages.flatMap(({ blocks }) => blocks.flatMap((block) => (block.from === name ? [block.type] : [])))
  for (const type of new Set<keyof PanelAnswers>(changes ? ['action'] : shown)) {
    const misfit = findAnswerMisfit(type, answer)
    if (misfit !== undefined) throw new Error(`its answer cannot be drawn as ${type}: ${misfit}`)
  }
  if (JSON.stringify(answer).length > mostCharacters) throw new Error(`its answer has more than ${mostCharacters} characters`)
  return answer
}
