import type { ProviderManifest } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import type { Loaded } from '#config/file/loaded.ts'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import type { FoundServer } from '#models/probe.ts'
import { givenBaseUrl, givenKey, type ModelChoice } from '#models/request/endpoint.ts'
import { chooseModel } from '#models/select.ts'

export interface ProviderRow {
  readonly id: string
  readonly label: string
  readonly state: 'chosen' | 'configured' | 'found' | 'available'
  readonly detail: string
}

interface Known {
  readonly catalog: Pick<Catalog, 'of'>
  readonly loaded: Loaded
  /** Servers that run on this machine. */
  readonly found: readonly FoundServer[]
}

/** What answers by the settings; undefined where nothing does. */
export function readChoice({ catalog, loaded }: Omit<Known, 'found'>): ModelChoice | undefined {
  try {
    return chooseModel({ catalog, ...loaded }, {})
  } catch (error) {
    if (isAgentError(error)) return undefined
    throw error
  }
}

export function formatChoice(chosen: ModelChoice | undefined): string {
  if (!chosen) return 'No provider is configured.'
  if (chosen.implicit) return 'No provider is configured; the offline model answers, which only understands a few requests.'
  return `${chosen.provider} answers with ${chosen.model}.`
}

/** Every provider, and what each needs before it answers. What can answer comes last, where a long list is seen first. */
export function listProviders(known: Known): readonly ProviderRow[] {
  const chosen = readChoice(known)?.provider
  const rows = known.catalog.of('provider').map((each) => describeProvider(each, chosen, known))
  return order.flatMap((state) => rows.filter((row) => row.state === state))
}

const order: readonly ProviderRow['state'][] = ['available', 'found', 'configured', 'chosen']

function describeProvider({ id, spec }: Contribution<'provider'>, chosen: string | undefined, { loaded, found }: Known): ProviderRow {
  const models = found.find((server) => server.provider === id)?.models
  const configured = (spec.auth !== 'none' && givenKey(spec, loaded) !== undefined) || loaded.loggedIn.has(id)
  const state = id === chosen ? 'chosen' : configured ? 'configured' : models ? 'found' : 'available'
  const detail = models ? `running here: ${models.slice(0, 5).join(', ') || 'no models'}` : describeNeed(spec, loaded)
  return { id, label: spec.label, state, detail }
}

/** Whose files may prove who asks: whether they do is seen by a call. */
const accounts: Readonly<Record<string, string>> = { aws: 'AWS', google: 'Google Cloud' }

/** What is missing before it answers; nothing where it would. */
function describeNeed(spec: ProviderManifest, loaded: Loaded): string {
  const key = neededKey(spec, loaded)
  if (key !== undefined) return spec.login ? `needs ${key}, or agent login ${spec.id}` : `needs ${key}`
  if (needsLogin(spec, loaded)) return `needs ${[...spec.keyEnv, `agent login ${spec.id}`].join(', or ')}`
  const account = accounts[spec.auth]
  if (account !== undefined && givenKey(spec, loaded) === undefined)
    return `takes ${[...spec.keyEnv.slice(0, 1), `your account of ${account}`].join(', or ')}`
  if (needsAddress(spec, loaded)) return `needs ${['model.base_url', spec.baseUrlEnv].filter(Boolean).join(' or ')}`
  return spec.local ? 'no server runs here' : ''
}

function neededKey(spec: ProviderManifest, loaded: Loaded): string | undefined {
  return spec.auth === 'api-key' && !loaded.loggedIn.has(spec.id) && givenKey(spec, loaded) === undefined ? spec.keyEnv[0] : undefined
}

function needsLogin(spec: ProviderManifest, loaded: Loaded): boolean {
  return spec.auth === 'login' && !loaded.loggedIn.has(spec.id) && givenKey(spec, loaded) === undefined
}

function needsAddress(spec: ProviderManifest, loaded: Loaded): boolean {
  return spec.auth !== 'none' && spec.baseUrl === undefined && givenBaseUrl(spec, loaded) === undefined
}

/** A sentence about each thing that a provider lacks. */
export function listLacks(spec: ProviderManifest, loaded: Loaded, environmentFile: string): readonly string[] {
  const key = neededKey(spec, loaded)
  return [
    ...(key === undefined
      ? []
      : [`It needs its key: put ${key}=… into ${environmentFile}${spec.login ? `, or run agent login ${spec.id}` : ''}.`]),
    ...(needsLogin(spec, loaded) ? [`It needs a login: agent login ${spec.id}`] : []),
    ...(needsAddress(spec, loaded)
      ? [`It needs its address: ${spec.baseUrlEnv ? `put ${spec.baseUrlEnv}=https://… into ${environmentFile}, or ` : ''}--url https://…`]
      : []),
  ]
}
