import { readChoice } from '#commands/model-list.ts'
import { openCatalog } from '../home/open-catalog.ts'
import type { HomeContext } from '../home-context.ts'

/** Whether anything is set that could answer, a login or a variable included; the model that stands in does not count. Asks no provider. */
export async function isProviderConfigured(context: HomeContext): Promise<boolean> {
  const choice = readChoice(await openCatalog(context))
  return choice !== undefined && !choice.implicit
}
