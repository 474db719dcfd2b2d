import type { ProviderManifest } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { listLacks, listProviders, readChoice } from '#commands/model-list.ts'
import { readEnvFile } from '#config/environment/env-file.ts'
import { type FoundServer, probeLocalServers } from '#models/probe.ts'
import { chooseModel, findProvider } from '#models/select.ts'
import { type OpenedCatalog, openCatalog } from '../home/open-catalog.ts'
import type { HomeContext } from '../home-context.ts'
import { type KnownVariable, listKnown, readState, type VariableState } from '../settings/known-variables.ts'

/** What answers by the settings. */
export interface ModelState {
  /** Something that could answer is set, a login or a variable included; the model that stands in does not count. */
  readonly configured: boolean
  readonly provider?: string
  readonly model?: string
  /** The offline model stands in. */
  readonly offline: boolean
  readonly problem?: string
}

type Ground = Pick<HomeContext, 'installRoot' | 'environment' | 'profile'>

/** Asks no provider. */
export async function readModelState(context: Ground): Promise<ModelState> {
  const { home, loaded, catalog } = await openCatalog(context)
  try {
    const { provider, model, implicit } = chooseModel({ catalog, ...loaded }, {})
    const lacks = implicit ? [] : listLacks(findProvider(catalog, provider).spec, loaded, home.files.env)
    return { configured: !implicit, provider, model, offline: implicit, ...(lacks.length > 0 ? { problem: lacks.join(' ') } : {}) }
  } catch (error) {
    if (!isAgentError(error)) throw error
    return { configured: false, offline: false, problem: error.message }
  }
}

export interface ModelOption {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly docsUrl?: string
  readonly defaultModel?: string
  readonly ready: boolean
  readonly current: boolean
  readonly needs?: string
  readonly env: readonly (Omit<KnownVariable, 'misfit'> & VariableState)[]
  readonly models: readonly string[]
}

/** Every provider of the catalog. Only servers on this machine are asked whether they are there. */
export async function listModelOptions(context: HomeContext): Promise<readonly ModelOption[]> {
  const opened = await openCatalog(context)
  const { home, loaded, catalog } = opened
  const found = await probeLocalServers({ catalog, ...loaded, environmentFile: home.files.env, fetch }, context.signal)
  const rows = new Map(listProviders({ catalog, loaded, found }).map((row) => [row.id, row]))
  const chosen = readChoice({ catalog, loaded })
  const known = listKnown(opened)
  const written = readEnvFile(home.files.env).values
  return catalog.of('provider').map(({ id, spec, plugin: { manifest } }) => {
    const { state = 'available', detail = '' } = rows.get(id) ?? {}
    const current = chosen?.provider === id && !chosen.implicit
    const needs = needsOf(spec, opened, state === 'available' ? detail : '')
    const names = new Set([...spec.keyEnv, ...(spec.baseUrlEnv ? [spec.baseUrlEnv] : []), ...spec.variables.flatMap(({ env }) => env)])
    return {
      ...{ id, name: spec.label, description: manifest.description, current, ready: needs === undefined },
      ...(spec.docsUrl === undefined ? {} : { docsUrl: spec.docsUrl }),
      ...(spec.defaultModel === undefined ? {} : { defaultModel: spec.defaultModel }),
      ...(needs === undefined ? {} : { needs }),
      env: known.filter(({ name }) => names.has(name)).map(({ misfit: _, ...one }) => ({ ...one, ...readState(one, loaded, written) })),
      models: knownModels(spec, found, current ? chosen.model : undefined),
    }
  })
}

function needsOf(spec: ProviderManifest, { home, loaded }: OpenedCatalog, detail: string): string | undefined {
  const lacks = listLacks(spec, loaded, home.files.env)
  if (lacks.length > 0) return lacks.join(' ')
  return detail === '' ? undefined : `${detail[0]?.toUpperCase()}${detail.slice(1)}.`
}

function knownModels({ id, defaultModel }: ProviderManifest, found: readonly FoundServer[], used: string | undefined): readonly string[] {
  const here = found.find(({ provider }) => provider === id)?.models ?? []
  return [...new Set([...(used === undefined ? [] : [used]), ...(defaultModel === undefined ? [] : [defaultModel]), ...here])]
}
