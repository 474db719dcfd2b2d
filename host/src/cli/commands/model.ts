import type { ProviderManifest } from '@agent/plugin-sdk'
import { isAgentError } from '@agent/plugin-sdk/errors'
import { Command } from 'commander'
import { setConfigValue } from '#config/edit.ts'
import type { Loaded } from '#config/file/loaded.ts'
import type { Catalog, Contribution } from '#kernel/catalog/catalog.ts'
import { type FoundServer, probeLocalServers } from '#models/probe.ts'
import { givenBaseUrl, givenKey } from '#models/request/endpoint.ts'
import { chooseModel, findProvider } from '#models/select.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { openCatalog } from '../home/open-catalog.ts'

interface ModelOptions {
  readonly json?: true
}

interface ProviderRow {
  readonly id: string
  readonly label: string
  readonly state: 'chosen' | 'configured' | 'found' | 'available'
  readonly detail: string
}

export function command(cli: Cli): Command {
  return new Command('model')
    .description('List the inference providers, or choose one: agent model openai gpt-5')
    .argument('[provider]', 'provider to answer from now on')
    .argument('[model]', 'model of that provider')
    .option('--json', 'as JSON')
    .action(async (provider: string | undefined, model: string | undefined, options: ModelOptions) => {
      if (provider === undefined) await listProviders(cli, options)
      else await chooseProvider(cli, provider, model)
    })
}

async function listProviders(cli: Cli, options: ModelOptions): Promise<void> {
  const { home, loaded, catalog } = await openCatalog(cli)
  const chosen = readChoice(catalog, loaded)
  const found = await probeLocalServers({ catalog, ...loaded, environmentFile: home.files.env, fetch }, cli.signal)
  const rows = catalog.of('provider').map((each): ProviderRow => describeProvider(each, { chosen: chosen?.provider, loaded, found }))
  if (options.json) {
    cli.json({ provider: chosen?.provider ?? null, model: chosen?.model ?? null, offline: chosen?.implicit ?? false, providers: rows })
    return
  }
  cli.out(formatChoice(chosen))
  cli.out(formatTable(rows.map((row) => [`  ${paint(cli, row.state === 'chosen' ? 'green' : 'cyan', row.id)}`, row.state, row.detail])))
  cli.out('\nagent model <provider> [model] chooses one.')
}

function formatChoice(chosen: ReturnType<typeof chooseModel> | undefined): string {
  if (!chosen) return 'No provider is configured.\n'
  if (chosen.implicit) return 'No provider is configured; the offline model answers, which only understands a few requests.\n'
  return `${chosen.provider} answers with ${chosen.model}.\n`
}

function readChoice(catalog: Catalog, loaded: Loaded): ReturnType<typeof chooseModel> | undefined {
  try {
    return chooseModel({ catalog, ...loaded }, {})
  } catch (error) {
    if (isAgentError(error)) return undefined
    throw error
  }
}

interface Known {
  readonly chosen: string | undefined
  readonly loaded: Loaded
  readonly found: readonly FoundServer[]
}

function describeProvider({ id, spec }: Contribution<'provider'>, { chosen, loaded, found }: Known): ProviderRow {
  const models = found.find((server) => server.provider === id)?.models
  const configured = spec.auth !== 'none' && givenKey(spec, loaded) !== undefined
  const state = id === chosen ? 'chosen' : configured ? 'configured' : models ? 'found' : 'available'
  const detail = models ? `running here: ${models.slice(0, 5).join(', ') || 'no models'}` : describeNeed(spec, loaded)
  return { id, label: spec.label, state, detail }
}

/** What is missing before it answers; nothing where it would. */
function describeNeed(spec: ProviderManifest, loaded: Loaded): string {
  const key = neededKey(spec, loaded)
  if (key !== undefined) return `needs ${key}`
  if (needsAddress(spec, loaded)) return `needs ${['model.base_url', spec.baseUrlEnv].filter(Boolean).join(' or ')}`
  return spec.local ? 'no server runs here' : ''
}

function neededKey(spec: ProviderManifest, loaded: Loaded): string | undefined {
  return spec.auth === 'api-key' && givenKey(spec, loaded) === undefined ? spec.keyEnv[0] : undefined
}

function needsAddress(spec: ProviderManifest, loaded: Loaded): boolean {
  return spec.auth !== 'none' && spec.baseUrl === undefined && givenBaseUrl(spec, loaded) === undefined
}

async function chooseProvider(cli: Cli, provider: string, named: string | undefined): Promise<void> {
  const model = named?.trim() || undefined
  const { home, loaded, catalog } = await openCatalog(cli)
  const { spec } = findProvider(catalog, provider)
  const before = readChoice(catalog, loaded)
  const target = { home, processEnvironment: cli.environment }
  setConfigValue(target, 'model.provider', provider)
  setConfigValue(target, 'model.default', model ?? spec.defaultModel ?? '')
  cli.out(`${provider} answers from now on${model || spec.defaultModel ? ` with ${model ?? spec.defaultModel}` : ''}.`)
  if (!model && !spec.defaultModel) cli.out(`Name a model: agent model ${provider} <model>`)
  const key = neededKey(spec, loaded)
  if (key !== undefined) cli.out(`It still needs its key: put ${key}=… into ${home.files.env}.`)
  if (needsAddress(spec, loaded)) cli.out('It still needs its address: agent config set model.base_url https://…')
  if (before && !before.implicit) cli.out(`The way back: agent model ${before.provider} ${before.model}`)
}
