import { hideInUrls, isAgentError } from '@agent/plugin-sdk/errors'
import { auxiliaryTasks } from '#config/file/without-effect.ts'
import { firstFor, isPinned } from '#models/auxiliary.ts'
import { withCompressionTask } from '#models/compression-task.ts'
import { createModelChoice } from '#models/select.ts'
import { openCatalog } from '../home/open-catalog.ts'
import type { HomeContext } from '../home-context.ts'

/** Which model does a task beside the conversations, by the settings. */
export interface AuxiliaryState {
  readonly task: string
  /** The settings name a model for it; else it is the one of the conversation. */
  readonly pinned: boolean
  readonly provider?: string
  readonly model?: string
  readonly baseUrl?: string
  readonly problem?: string
}

/** Every task that asks a model, in the order of their names. Asks no provider, and names no key. */
export async function readAuxiliary(
  context: Pick<HomeContext, 'installRoot' | 'environment' | 'profile'>,
): Promise<readonly AuxiliaryState[]> {
  const { loaded, catalog } = await openCatalog(context)
  const tasks = withCompressionTask(loaded.config.auxiliary, loaded.config.compression)
  const choose = createModelChoice({ catalog, loaded })
  return auxiliaryTasks.map((task) => {
    const pinned = isPinned(tasks[task])
    try {
      const { provider, model, settings } = firstFor(tasks[task], choose)
      // The offline model stands in for conversations, and does no task.
      if (!pinned && provider === 'offline') return { task, pinned }
      return { task, pinned, provider, model, ...(settings?.base_url ? { baseUrl: hideInUrls(settings.base_url) } : {}) }
    } catch (error) {
      if (!isAgentError(error)) throw error
      return { task, pinned, problem: error.message }
    }
  })
}
