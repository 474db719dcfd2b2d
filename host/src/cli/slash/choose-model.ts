import { isAgentError } from '@agent/plugin-sdk/errors'
import { openAgent } from '#agent/open-agent.ts'
import { listLacks, readChoice } from '#commands/model-list.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { systemClock } from '#kernel/clock.ts'
import type { ModelChoice } from '#models/request/endpoint.ts'
import { findProvider } from '#models/select.ts'
import { tryModel } from '#models/try-model.ts'
import type { Cli } from '../console/cli.ts'
import { openCatalog } from '../home/open-catalog.ts'
import { reloadGateway } from '../plugins/live/reload-gateway.ts'
import { keepModel } from './keep-model.ts'

export interface WantedModel {
  readonly provider: string
  /** Undefined takes the usual one of the provider. */
  readonly model: string | undefined
  readonly url?: string | undefined
  /** One call has to succeed before the choice is kept. */
  readonly try: boolean
  /** How the command is given where the answer is read. */
  readonly form: string
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
  const { spec } = findProvider(catalog, provider)
  const model = wanted.model ?? spec.defaultModel
  if (model === undefined) return { kept: false, lines: [`${provider} has no usual model. Name one: ${form} ${provider} <model>`] }
  const choice = { provider, model }
  const loaded = withChoice(stored, choice, url)
  const lacks = listLacks(spec, loaded, home.files.env)
  if (wanted.try) {
    const problem = lacks.length > 0 ? `${provider} cannot answer yet.` : await findTrouble(cli, choice, loaded.config.model)
    const way = 'The model was not changed. With --no-try the choice is kept all the same.'
    if (problem !== undefined) return { kept: false, lines: [problem, ...lacks, way] }
  }
  const before = readChoice({ catalog, loaded: stored })
  const lines = keepModel(cli, { home, loaded: stored, before, choice, url, form })
  const taken = await reloadGateway(cli, home, { unchanged: 'The running gateway uses it from the next turn on.' })
  return { kept: true, lines: [`${provider} answers from now on with ${model}.`, ...lacks, ...lines, ...taken] }
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
    await tryModel(await agent.models.model(choice), { clock: systemClock, signal: cli.signal })
    return undefined
  } catch (error) {
    cli.signal.throwIfAborted()
    if (!isAgentError(error)) throw error
    return `${choice.provider}/${choice.model} did not answer: ${error.message}`
  } finally {
    await agent.close()
  }
}
