import { fail } from '@agent/plugin-sdk/errors'
import { nearestName } from '#kernel/nearest-name.ts'
import type { ModelChoice, ProviderContribution } from './request/endpoint.ts'
import { type EnvironmentVariables, givenBaseUrl, givenKey, isCalled, type ModelSettings } from './request/endpoint.ts'

/** The part of the catalog that models are chosen from, in registry order. */
export interface ProviderCatalog<Found extends ProviderContribution = ProviderContribution> {
  of(kind: 'provider'): readonly Found[]
}

interface Source {
  readonly catalog: ProviderCatalog
  readonly config: { readonly model: ModelSettings }
  readonly environment: EnvironmentVariables
  readonly loggedIn?: ReadonlySet<string> | undefined
}

interface ChoiceOptions {
  readonly catalog: ProviderCatalog
  readonly loaded: Omit<Source, 'catalog'>
}

/** Undefined and empty text leave the choice open. */
export interface ModelWish {
  readonly provider?: string | undefined
  readonly model?: string | undefined
}

/** Chooses a model for each wish, by the settings of that moment. */
export function createModelChoice({ catalog, loaded }: ChoiceOptions): (wish: ModelWish) => ModelChoice {
  return (wish) => {
    const { config, environment, loggedIn } = loaded
    return chooseModel({ catalog, config, environment, loggedIn }, wish)
  }
}

/** Order: the wish, AGENT_INFERENCE_PROVIDER, `model.*`, the first provider whose key is in the environment or that somebody logged in to, offline. */
export function chooseModel(source: Source, wish: ModelWish): ModelChoice {
  const { config } = source
  const named = namedProvider(source, wish.provider)
  if (named === 'none') throw fail('NO_PROVIDER')
  const found = named === undefined ? undefined : findProvider(source.catalog, named)
  const chosen = found ?? source.catalog.of('provider').find((candidate) => isReachable(candidate, source))
  if (!chosen) return implicitOffline(source, wish.model)
  // `model.default` was written for `model.provider`; another provider would not know it.
  const owner = nameOf(config.model.provider) ?? (config.model.base_url ? 'custom' : chosen.id)
  const model = wish.model || (isCalled(chosen.spec, owner) ? config.model.default : undefined) || chosen.spec.defaultModel
  if (!model) throw fail('MODEL_MISSING', { provider: chosen.id })
  return { provider: chosen.id, model, implicit: false }
}

/** `auto` and an empty text leave the choice open. */
function nameOf(value: string | null | undefined): string | undefined {
  return value && value !== 'auto' ? value : undefined
}

function namedProvider(source: Source, wish: string | undefined): string | undefined {
  const { model } = source.config
  const named = nameOf(wish) ?? nameOf(source.environment.get('AGENT_INFERENCE_PROVIDER')) ?? nameOf(model.provider)
  return named ?? (model.base_url ? 'custom' : undefined)
}

/** By id, or by a name that people know it by. Throws PROVIDER_UNKNOWN and names the nearest one. */
export function findProvider<Found extends ProviderContribution>(catalog: ProviderCatalog<Found>, id: string): Found {
  const all = catalog.of('provider')
  const found = all.find((candidate) => candidate.id === id) ?? all.find(({ spec }) => isCalled(spec, id))
  if (found) return found
  const nearest = nearestName(
    id,
    all.flatMap((candidate) => [candidate.id, ...candidate.spec.aliases]),
  )
  throw fail('PROVIDER_UNKNOWN', nearest ? { provider: id, nearest } : { provider: id })
}

/**
 * A key for a vendor under its own name, or an address for a server that needs no key, is the user's word that it shall be used.
 * Under its other names a key may lie there for other programs.
 */
function isReachable({ id, spec: { keyEnv, ...rest } }: ProviderContribution, source: Source): boolean {
  if (source.loggedIn?.has(id)) return true
  const spec = { ...rest, keyEnv: keyEnv.slice(0, 1) }
  if (spec.auth === 'none' && !spec.local) return false
  const hasAddress = givenBaseUrl(spec, source) !== undefined
  if (spec.auth === 'none' || spec.auth === 'optional-key') return hasAddress
  return givenKey(spec, source) !== undefined && (hasAddress || spec.baseUrl !== undefined)
}

function implicitOffline(source: Source, wished: string | undefined): ModelChoice {
  const { default: model, api_key: key } = source.config.model
  const offline = source.catalog.of('provider').find((candidate) => candidate.id === 'offline')
  if (model || key || wished || !offline) throw fail('NO_PROVIDER')
  return { provider: offline.id, model: offline.spec.defaultModel ?? offline.id, implicit: true }
}
