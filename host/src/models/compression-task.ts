import type { AuxiliaryTask } from './auxiliary.ts'

/** The settings of the model that writes notes, as they were called before there were tasks. */
interface Older {
  readonly summary_provider: string
  readonly summary_model: string
  readonly summary_base_url: string
}

/** The tasks of the settings, with what `compression.summary_*` says of its model; what `auxiliary.compression` names holds before it. */
export function withCompressionTask(
  tasks: Readonly<Record<string, AuxiliaryTask>>,
  { summary_provider: provider, summary_model: model, summary_base_url: base_url }: Older,
): Readonly<Record<string, AuxiliaryTask>> {
  const { compression: own = {} } = tasks
  const named = own.provider && own.provider !== 'auto' && own.provider !== 'main' ? own.provider : undefined
  const compression: AuxiliaryTask = {
    ...own,
    provider: named ?? (provider || own.provider),
    model: own.model || model,
    base_url: own.base_url || base_url,
  }
  return { ...tasks, compression }
}
