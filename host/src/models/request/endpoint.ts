import type { ProviderManifest } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import type { Credential } from './credential.ts'

export interface ModelChoice {
  readonly provider: string
  readonly model: string
  /** True when nothing at all is configured and the offline model stands in. */
  readonly implicit: boolean
}

export interface ProviderContribution {
  readonly id: string
  readonly spec: ProviderManifest
}

/** The `model` block of the configuration; an empty text counts as unset. */
export interface ModelSettings {
  readonly provider?: string | null | undefined
  readonly default?: string | null | undefined
  readonly base_url?: string | null | undefined
  readonly api_key?: string | null | undefined
}

export interface EnvironmentVariables {
  get(name: string): string | undefined
}

/** Where a provider is reached, in which protocol and with which key. */
export interface Endpoint {
  readonly provider: string
  readonly protocol: NonNullable<ProviderManifest['protocol']>
  readonly baseUrl: string
  readonly key: string | undefined
  /** The variable that a key is put into, and its file. */
  readonly keyPlace?: { readonly variable: string; readonly file: string } | undefined
  /** Proves who asks in place of the key. */
  readonly credential?: Credential | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly quirks: ProviderManifest['quirks']
  /** The header that carries the key; absent: the one of the protocol. */
  readonly keyHeader?: string | undefined
  /** Stands before the path of the protocol; `{model}` is the model. */
  readonly prefix?: string | undefined
  readonly query?: Readonly<Record<string, string>>
  /** Where it lists its models, from the root on. */
  readonly modelsPath?: string | undefined
  /** Values of the variables that the manifest names. */
  readonly variables: Readonly<Record<string, string>>
  /** What a person sets for each of them. */
  readonly variableNames?: Readonly<Record<string, string>>
}

export interface EndpointSource {
  readonly config: { readonly model: ModelSettings }
  readonly environment: EnvironmentVariables
  /** Named in the error when a key is missing: the file to put it into. */
  readonly environmentFile: string
}

/** Whether a name means this provider: its id, or one that people know it by. */
export function isCalled({ id, aliases }: Pick<ProviderManifest, 'id' | 'aliases'>, name: string | undefined): boolean {
  return name === id || (name !== undefined && aliases.includes(name))
}

/** True when the `model` block of the configuration speaks about this provider. */
export function isConfigured(model: ModelSettings, spec: Pick<ProviderManifest, 'id' | 'aliases'>): boolean {
  return isCalled(spec, model.provider || (model.base_url ? 'custom' : undefined))
}

/** The address that the user set for this provider: environment first, then the configuration. */
export function givenBaseUrl(spec: ProviderManifest, source: Pick<EndpointSource, 'config' | 'environment'>): string | undefined {
  const { config, environment } = source
  const fromEnvironment = spec.baseUrlEnv ? environment.get(spec.baseUrlEnv) : undefined
  return fromEnvironment || (isConfigured(config.model, spec) ? config.model.base_url || undefined : undefined)
}

/** The key of this provider and of no other: a key in `model.api_key` belongs to `model.provider`. */
export function givenKey(spec: ProviderManifest, source: Pick<EndpointSource, 'config' | 'environment'>): string | undefined {
  if (spec.auth === 'none') return undefined
  for (const name of spec.keyEnv) {
    const value = source.environment.get(name)
    if (value) return value
  }
  return isConfigured(source.config.model, spec) ? source.config.model.api_key || undefined : undefined
}

/** Throws ENV_MISSING where a key or an address is needed and absent, LOGIN_NEEDED where a login is. */
export function openEndpoint(contribution: ProviderContribution, source: EndpointSource, credential?: Credential): Endpoint {
  const { spec } = contribution
  const given = givenBaseUrl(spec, source)
  const key = givenKey(spec, source) ?? credential?.key
  const variables = readVariables(spec, source.environment)
  const baseUrl = given ?? ownAddress(spec, { key, variables, file: source.environmentFile })
  if (!baseUrl) throw fail('ENV_MISSING', { name: spec.baseUrlEnv ?? 'model.base_url', file: source.environmentFile })
  const fromVariable = spec.baseUrlEnv && source.environment.get(spec.baseUrlEnv) ? spec.baseUrlEnv : undefined
  if (!key && !credential) requireNoProof(spec, source)
  // A server that only imitates the vendor speaks chat completions, and the vendor's own deviations do not hold for it.
  const imitation = spec.protocol === 'openai-responses' && spec.baseUrl !== undefined && !isSameOrigin(baseUrl, spec.baseUrl)
  const address = readAddress(spec, checkedUrl(baseUrl, fromVariable ?? 'model.base_url'))
  return {
    ...address,
    provider: spec.id,
    protocol: imitation ? 'openai-chat' : address.protocol,
    key,
    keyPlace: spec.keyEnv[0] === undefined ? undefined : { variable: spec.keyEnv[0], file: source.environmentFile },
    ...(credential ? { credential } : {}),
    headers: spec.headers,
    quirks: imitation ? {} : spec.quirks,
    variables,
    variableNames: Object.fromEntries(spec.variables.flatMap(({ name, env: [first] }) => (first === undefined ? [] : [[name, first]]))),
  }
}

type Address = Pick<Endpoint, 'protocol' | 'baseUrl' | 'keyHeader' | 'modelsPath' | 'prefix' | 'query'>

/** What the path of an address says about how it is spoken to. */
function readAddress({ addresses, protocol = 'openai-chat', keyHeader, modelsPath }: ProviderManifest, text: string): Address {
  const [address = '', given] = text.split('?')
  const baseUrl = address.replace(/\/+$/, '')
  const own = addresses.find(({ ends }) => new URL(baseUrl).pathname.endsWith(ends))
  return {
    baseUrl,
    protocol: own?.protocol ?? protocol,
    keyHeader: own?.keyHeader ?? keyHeader,
    modelsPath: own?.modelsPath ?? modelsPath,
    prefix: own?.prefix,
    query: { ...own?.query, ...Object.fromEntries(new URLSearchParams(given)) },
  }
}

interface Known {
  readonly key: string | undefined
  readonly variables: Readonly<Record<string, string>>
  /** Named in the error when a variable is missing. */
  readonly file: string
}

/** The vendor's own address: of this kind of key, of these variables, or the usual one. */
function ownAddress(spec: ProviderManifest, { key, variables, file }: Known): string | undefined {
  const ofKey = spec.baseUrlOfKeys.find(({ prefix }) => key?.startsWith(prefix))
  const ofVariable = spec.baseUrlOfVariables.find(({ variable, value }) => variables[variable] === value)
  const text = ofKey?.baseUrl ?? ofVariable?.baseUrl ?? spec.baseUrl
  return text?.replace(/\{([\w-]+)\}/g, (_, name: string) => {
    const [variable = name] = spec.variables.find((one) => one.name === name)?.env ?? []
    const value = variables[name]
    if (value === undefined) throw fail('ENV_MISSING', { name: variable, file })
    return value
  })
}

function requireNoProof(spec: ProviderManifest, { environmentFile: file }: EndpointSource): void {
  if (spec.auth === 'login') throw fail('LOGIN_NEEDED', { provider: spec.id })
  if (spec.auth === 'api-key') throw fail('ENV_MISSING', { name: spec.keyEnv[0] ?? 'model.api_key', file })
}

function readVariables({ variables }: ProviderManifest, environment: EnvironmentVariables): Record<string, string> {
  const values = variables.map(({ name, env, default: standard }) => [
    name,
    env.map((one) => environment.get(one)).find(Boolean) ?? standard,
  ])
  return Object.fromEntries(values.filter(([, value]) => value !== undefined))
}

function checkedUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && (url.username !== '' || url.password !== '')) {
    const problem = `${name} has a user name or a password in it, which no request carries.`
    throw fail('USAGE', { problem, try: 'the address without it, and the key in model.api_key' })
  }
  if (url && (url.protocol === 'http:' || url.protocol === 'https:')) return text
  throw fail('USAGE', { problem: `${name} is not an http or https address.`, try: `${name}=http://127.0.0.1:8080/v1` })
}

function isSameOrigin(one: string, other: string): boolean {
  return URL.canParse(one) && new URL(one).origin === new URL(other).origin
}
