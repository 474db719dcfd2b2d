import type { HomeContext } from '../home-context.ts'
import { readModelState } from '../model/read-model.ts'

/** Whether anything is set that could answer, a login or a variable included; the model that stands in does not count. Asks no provider. */
export async function isProviderConfigured(context: HomeContext): Promise<boolean> {
  return (await readModelState(context)).configured
}
