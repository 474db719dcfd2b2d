import { isAgentError } from '@agent/plugin-sdk/errors'
import { type AuxiliaryTask, isPinned } from './auxiliary.ts'
import type { ModelChoice } from './request/endpoint.ts'
import type { ModelWish } from './select.ts'

export interface TaskModels {
  /** What the settings say of the task as they are now. */
  readonly task: AuxiliaryTask | undefined
  readonly choose: (wish: ModelWish) => Pick<ModelChoice, 'provider'>
}

/** Whether there is a model for a task: one for it alone, or one for everything. The offline model does none. */
export function hasModelFor({ task, choose }: TaskModels): boolean {
  if (isPinned(task)) return true
  try {
    return choose({}).provider !== 'offline'
  } catch (error) {
    if (isAgentError(error)) return false
    throw error
  }
}
