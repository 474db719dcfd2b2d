import { withTimeLimit } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { openAgent } from '#agent/open-agent.ts'
import { listLacks, readChoice } from '#commands/model-list.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { createCall } from '#kernel/calls/call.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import { openPrices, type PriceList } from '#models/catalog/price-list.ts'
import { countCalls } from '#models/count-calls.ts'
import type { ModelChoice } from '#models/request/endpoint.ts'
import { findProvider } from '#models/select.ts'
import { tryModel } from '#models/try-model.ts'
import { dayOf } from '#store/usage.ts'
import type { Cli } from '../console/cli.ts'
import { openCatalog } from '../home/open-catalog.ts'
import { reloadGateway } from '../plugins/live/reload-gateway.ts'
import { keepModel } from './keep-model.ts'

const listMs = 15_000

export interface WantedModel {
  readonly provider: string
  /** Undefined takes the usual one of the provider. */
  readonly model: string | undefined
  readonly url?: string | undefined
  /** One call has to succeed before the choice is kept. */
  readonly try: boolean
  /** How the command is given where the answer is read. */
  readonly form: string
  /** The price does not matter. */
  readonly yes?: boolean | undefined
  /** Asks the person who is there. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined
}

export interface ChosenModel {
  readonly kept: boolean
  readonly lines: readonly string[]
}

type Choice = Pick<ModelChoice, 'provider' | 'model'>

/** Tries a model, keeps it in the settings, and lets a running gateway take it over. */
export async function chooseModel(cli: Cli, wanted: WantedModel): Promise<ChosenModel> {
  const { provider, url, form } = wanted
  const { home, loaded: stored, catalog } = await openCatalog(cli)
  const { spec } = findWanted(catalog, stored, wanted)
  const model = wanted.model ?? spec.defaultModel
  if (model === undefined) return { kept: false, lines: await offerModels(cli, withChoice(stored, { provider, model: '' }, url), wanted) }
  const choice = { provider, model }
  const warning = wanted.yes ? undefined : await warnOfPrice(openPrices({ loaded: stored, catalog }), choice)
  if (warning !== undefined && !(await wanted.ask?.(`${warning} Take it?`)))
    return { kept: false, lines: [warning, `The model was not changed. ${form} ${provider} ${model} --yes takes it all the same.`] }
  const loaded = withChoice(stored, choice, url)
  const lacks = listLacks(spec, loaded, home.files.env)
  if (wanted.try) {
    const problem = lacks.length > 0 ? `${provider} cannot answer yet.` : await findTrouble(cli, choice, loaded.config.model)
    const way = 'The model was not changed. With --no-try the choice is kept all the same.'
    if (problem !== undefined) return { kept: false, lines: [problem, ...lacks, ...hintOfPath(loaded.config.model.base_url), way] }
  }
  const before = readChoice({ catalog, loaded: stored })
  const lines = keepModel(cli, { home, loaded: stored, before, choice, url, form })
  const taken = await reloadGateway(cli, home, { unchanged: 'The running gateway uses it from the next turn on.' })
  return { kept: true, lines: [`${provider} answers from now on with ${model}.`, ...lacks, ...lines, ...taken] }
}

/** Dollars for a million tokens, in and out, above which a model is dear. */
const dear = { input: 20, output: 100 }

async function warnOfPrice(prices: PriceList, { provider, model }: Choice): Promise<string | undefined> {
  const price = await prices.of(provider, model, dayOf(systemClock.now()))
  if (!price || (price.input <= dear.input && price.output <= dear.output)) return undefined
  return `${provider}/${model} is dear: a million tokens cost $${price.input} in and $${price.output} out.`
}

/** The provider of that name. Who gave only the name of a model hears how it is chosen. */
function findWanted(catalog: Catalog, loaded: Loaded, { provider, model, form }: WantedModel) {
  try {
    return findProvider(catalog, provider)
  } catch (error) {
    const now = readChoice({ catalog, loaded })
    if (!isAgentError(error, 'PROVIDER_UNKNOWN') || model !== undefined || !now || now.implicit) throw error
    throw fail('PROVIDER_UNKNOWN', { ...error.params, provider, model: `${form} ${now.provider} ${provider}` })
  }
}

/** An address without a path is mostly half of one. */
function hintOfPath(address: string | null | undefined): readonly string[] {
  if (!address || !URL.canParse(address) || new URL(address).pathname !== '/') return []
  return [`Most addresses of such servers end in /v1: --url ${address.replace(/\/$/, '')}/v1`]
}

const mostOffered = 12

/** What may be named, where a provider has no usual model; its server may not tell. */
async function offerModels(cli: Cli, { config }: Loaded, { provider, form }: WantedModel): Promise<readonly string[]> {
  const usage = `${provider} has no usual model. Name one: ${form} ${provider} <model>`
  try {
    const models = await listModelsOf(cli, provider, config.model)
    const more = models.length > mostOffered ? `, and ${models.length - mostOffered} more` : ''
    return [usage, `It has ${models.slice(0, mostOffered).join(', ')}${more}.`]
  } catch (error) {
    cli.signal.throwIfAborted()
    if (!isAgentError(error)) throw error
    return [usage]
  }
}

/** Ids of the models that a provider offers, as its service lists them. Rejects like a call of a model, or with UNSUPPORTED. */
export async function listModelsOf(cli: Cli, provider: string, settings: Loaded['config']['model']): Promise<readonly string[]> {
  const { installRoot, environment, profile, note } = cli
  const agent = await openAgent({ installRoot, environment, profile, note, model: settings })
  try {
    const ask = (signal: AbortSignal) => agent.models.list(provider, createCall(signal))
    return await withTimeLimit({ clock: systemClock, signal: cli.signal, ms: listMs, what: `The list of ${provider}'s models` }, ask)
  } finally {
    await agent.close()
  }
}

/** The settings as they would be with the choice. */
function withChoice(loaded: Loaded, { provider, model }: Choice, url: string | undefined): Loaded {
  const { model: before } = loaded.config
  const isOwn = (before.provider || 'custom') === provider
  const rest = isOwn ? before : { ...before, base_url: '', api_key: '' }
  const after = { ...rest, provider, default: model, ...(url === undefined ? {} : { base_url: url }) }
  return { ...loaded, config: { ...loaded.config, model: after } }
}

/** Why the model does not answer; undefined where it does. Says that it tries. */
export async function findTrouble(cli: Cli, choice: Choice, settings: Loaded['config']['model']): Promise<string | undefined> {
  const { installRoot, environment, profile, note } = cli
  note(`Trying ${choice.provider}/${choice.model} …`)
  const agent = await openAgent({ installRoot, environment, profile, note, model: settings })
  try {
    const models = countCalls(agent.models, { usage: agent.store.usage, source: 'try', log: agent.log })
    await tryModel(await models.model(choice), { clock: systemClock, signal: cli.signal })
    return undefined
  } catch (error) {
    cli.signal.throwIfAborted()
    if (!isAgentError(error)) throw error
    return `${choice.provider}/${choice.model} did not answer: ${error.message}`
  } finally {
    await agent.close()
  }
}
