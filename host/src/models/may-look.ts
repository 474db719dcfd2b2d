import { isAgentError } from '@agent/plugin-sdk/errors'
import type { AuxiliaryTask } from './auxiliary.ts'
import type { ModelChoice } from './request/endpoint.ts'
import type { ModelWish } from './select.ts'

export interface LookingSettings {
  /** `auxiliary.vision` as it is now. */
  readonly vision: AuxiliaryTask | undefined
  readonly choose: (wish: ModelWish) => Pick<ModelChoice, 'provider'>
}

/** Whether there is a model that a picture can be shown to: one for pictures, or one for everything. The offline model sees none. */
export function mayLook({ vision, choose }: LookingSettings): boolean {
  const { provider, model, base_url } = vision ?? {}
  if (base_url || model || (provider && provider !== 'auto' && provider !== 'main')) return true
  try {
    return choose({}).provider !== 'offline'
  } catch (error) {
    if (isAgentError(error)) return false
    throw error
  }
}
