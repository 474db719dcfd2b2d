import { setConfigValue, unsetConfigValue } from '#config/edit.ts'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import type { ModelChoice } from '#models/request/endpoint.ts'
import type { HomeContext } from '../home-context.ts'

export interface KeptModel {
  readonly home: Home
  readonly loaded: Loaded
  /** What answered until now. */
  readonly before: ModelChoice | undefined
  readonly choice: Pick<ModelChoice, 'provider' | 'model'>
  /** The address that was given with the choice. */
  readonly url?: string | undefined
  /** How the command is given where the way back is read. */
  readonly form: string
}

/** Writes the choice into the settings. Answers with what else had to change, and with the way back. */
export function keepModel({ environment }: Pick<HomeContext, 'environment'>, kept: KeptModel): readonly string[] {
  const { home, loaded, choice, url } = kept
  const target = { home, processEnvironment: environment }
  const { owner, gone } = findForeign(kept)
  for (const name of gone) unsetConfigValue(target, name)
  setConfigValue(target, 'model.provider', choice.provider)
  setConfigValue(target, 'model.default', choice.model)
  if (url !== undefined) setConfigValue(target, 'model.base_url', url)
  const override = loaded.overriddenBy('model.provider')
  return [
    ...(override ? [`It is shadowed by environment: ${override.name} is set.`] : []),
    ...gone.map((name) => `${name} was meant for ${owner} and is gone from the settings.`),
    ...wayBack(kept, gone),
  ]
}

/** An address and a key belong to one provider: the next one would send its requests and its key there. */
function findForeign({ loaded, choice }: KeptModel): { readonly owner: string; readonly gone: readonly string[] } {
  const { provider, base_url: address, api_key: key } = loaded.config.model
  const owner = provider || 'custom'
  if (owner === choice.provider) return { owner, gone: [] }
  return { owner, gone: [...(address ? ['model.base_url'] : []), ...(key ? ['model.api_key'] : [])] }
}

function wayBack({ loaded, before, choice, url, form }: KeptModel, gone: readonly string[]): readonly string[] {
  const { base_url: address } = loaded.config.model
  const isMoved = url !== undefined && Boolean(address) && address !== url
  if (!before || before.implicit) return ['The way back: agent config unset model']
  if (before.provider === choice.provider && before.model === choice.model && !isMoved) return []
  const way = `${before.provider} ${before.model}`
  // Addresses are given in a shell.
  if (gone.includes('model.base_url') || isMoved) return [`The way back: agent model ${way} --url ${address}`]
  return [`The way back: ${form} ${way}`]
}
