import { withTimeLimit } from '@agent/plugin-sdk'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { openAgent } from '#agent/open-agent.ts'
import { listLacks, readChoice } from '#commands/model-list.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { createCall } from '#kernel/calls/call.ts'
import type { Catalog } from '#kernel/catalog/catalog.ts'
import { systemClock } from '#kernel/clock.ts'
import { createTrialBook } from '#models/book.ts'
import { openFacts } from '#models/catalog/facts.ts'
import { openPrices, type PriceList } from '#models/catalog/price-list.ts'
import { countCalls } from '#models/count-calls.ts'
import { isCalled, type ModelChoice } from '#models/request/endpoint.ts'
import { findProvider } from '#models/select.ts'
import { tryModel } from '#models/try-model.ts'
import { dayOf } from '#store/usage.ts'
import { askReload } from '../gateway/reload-gateway.ts'
import { openCatalog } from '../home/open-catalog.ts'
import type { HomeContext } from '../home-context.ts'
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
  /** A running gateway has taken it over. */
  readonly live: boolean
  /** The price for which it was not kept. */
  readonly warning?: string
  /** What kept it from being kept otherwise, without the words of a command line. */
  readonly problems?: readonly string[]
}

type Choice = Pick<ModelChoice, 'provider' | 'model'>

/** Tries a model, keeps it in the settings, and lets a running gateway take it over. */
export async function chooseModel(context: HomeContext, given: WantedModel): Promise<ChosenModel> {
  const { home, loaded: stored, catalog } = await openCatalog(context)
  const wanted = splitName(catalog, given)
  const { provider, url, form } = wanted
  const { spec } = findWanted(catalog, stored, wanted)
  const model = wanted.model ?? spec.defaultModel
  if (model === undefined) {
    const open = withChoice(stored, { provider, model: '' }, url)
    return refuse([...(await offerModels(context, open, wanted)), ...listLacks(spec, open, home.files.env)])
  }
  const choice = { provider, model }
  const warning = wanted.yes
    ? undefined
    : await warnOfPrice(
        openPrices({ loaded: stored, catalog, facts: openFacts({ file: home.files.modelCatalog, loaded: stored }) }),
        choice,
      )
  if (warning !== undefined && !(await wanted.ask?.(`${warning} Take it?`)))
    return { ...refuse([warning], `The model was not changed. ${form} ${provider} ${model} --yes takes it all the same.`), warning }
  const loaded = withChoice(stored, choice, url)
  const lacks = listLacks(spec, loaded, home.files.env)
  if (wanted.try) {
    const problem = lacks.length > 0 ? `${provider} cannot answer yet.` : await findTrouble(context, choice, loaded.config.model)
    const way = 'The model was not changed. With --no-try the choice is kept all the same.'
    if (problem !== undefined) return refuse([problem, ...lacks, ...hintOfPath(loaded.config.model.base_url)], way)
  }
  const before = readChoice({ catalog, loaded: stored })
  const lines = keepModel(context, { home, loaded: stored, before, choice, url, form })
  const taken = await askReload(context, home, { unchanged: 'The running gateway uses it from the next turn on.' })
  return { kept: true, live: taken.live, lines: [`${provider} answers from now on with ${model}.`, ...lacks, ...lines, ...taken.said] }
}

function refuse(problems: readonly string[], ...way: readonly string[]): ChosenModel {
  return { kept: false, live: false, lines: [...problems, ...way], problems }
}

/** Dollars for a million tokens, in and out, above which a model is dear. */
const dear = { input: 20, output: 100 }

async function warnOfPrice(prices: PriceList, { provider, model }: Choice): Promise<string | undefined> {
  const price = await prices.of(provider, model, dayOf(systemClock.now()))
  if (!price || (price.input <= dear.input && price.output <= dear.output)) return undefined
  return `${provider}/${model} is dear: a million tokens cost $${price.input} in and $${price.output} out.`
}

/** The program writes a model as `openai/gpt-5`, so that a person may. A name before the `/` that is no provider belongs to the model. */
function splitName(catalog: Catalog, wanted: WantedModel): WantedModel {
  const [, provider, model] = /^([^/]+)\/(.+)$/.exec(wanted.provider) ?? []
  if (wanted.model !== undefined || provider === undefined || model === undefined) return wanted
  const isProvider = catalog.of('provider').some(({ id, spec }) => id === provider || isCalled(spec, provider))
  return isProvider ? { ...wanted, provider, model } : wanted
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
async function offerModels(context: HomeContext, { config }: Loaded, { provider, form }: WantedModel): Promise<readonly string[]> {
  const usage = `${provider} has no usual model. Name one: ${form} ${provider} <model>`
  try {
    const models = await listModelsOf(context, provider, config.model)
    const more = models.length > mostOffered ? `, and ${models.length - mostOffered} more` : ''
    return [usage, `It has ${models.slice(0, mostOffered).join(', ')}${more}.`]
  } catch (error) {
    context.signal.throwIfAborted()
    if (!isAgentError(error)) throw error
    return [usage]
  }
}

/** Ids of the models that a provider offers, as its service lists them. Rejects like a call of a model, or with UNSUPPORTED. */
export async function listModelsOf(
  context: HomeContext,
  provider: string,
  settings: Loaded['config']['model'],
): Promise<readonly string[]> {
  const { installRoot, environment, profile, note } = context
  const agent = await openAgent({ installRoot, environment, profile, note, model: settings })
  try {
    const ask = (signal: AbortSignal) => agent.models.list(provider, createCall(signal))
    return await withTimeLimit({ clock: systemClock, signal: context.signal, ms: listMs, what: `The list of ${provider}'s models` }, ask)
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
export async function findTrouble(context: HomeContext, choice: Choice, settings: Loaded['config']['model']): Promise<string | undefined> {
  context.note(`Trying ${choice.provider}/${choice.model} …`)
  const { ok, text } = await askOnce(context, choice, settings)
  return ok ? undefined : text
}

/** What the model says to one question, or why it does not answer. */
export async function askOnce(
  { installRoot, environment, profile, note, signal }: HomeContext,
  choice: Choice,
  settings: Loaded['config']['model'],
): Promise<{ readonly ok: boolean; readonly text: string }> {
  const agent = await openAgent({ installRoot, environment, profile, note, model: settings })
  try {
    const models = countCalls(agent.models, { book: createTrialBook({ usage: agent.store.usage, log: agent.log }), source: 'try' })
    return { ok: true, text: await tryModel(await models.model(choice), { clock: systemClock, signal }) }
  } catch (error) {
    signal.throwIfAborted()
    if (!isAgentError(error)) throw error
    return { ok: false, text: `${choice.provider}/${choice.model} did not answer: ${error.message}` }
  } finally {
    await agent.close()
  }
}
