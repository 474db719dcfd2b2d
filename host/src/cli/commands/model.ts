import { isAgentError } from '@agent/plugin-sdk/errors'
import { Command } from 'commander'
import { openAgent } from '#agent/open-agent.ts'
import { formatChoice, listLacks, listProviders, readChoice } from '#commands/model-list.ts'
import type { Loaded } from '#config/file/loaded.ts'
import { systemClock } from '#kernel/clock.ts'
import { probeLocalServers } from '#models/probe.ts'
import type { ModelChoice } from '#models/request/endpoint.ts'
import { findProvider } from '#models/select.ts'
import { tryModel } from '#models/try-model.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { keepModel } from '../home/keep-model.ts'
import { openCatalog } from '../home/open-catalog.ts'
import { reloadGateway } from '../plugins/live/reload-gateway.ts'

interface ListOptions {
  readonly json?: true
}

interface ChooseOptions {
  /** `--no-try`. */
  readonly try: boolean
  readonly url?: string
}

type Choice = Pick<ModelChoice, 'provider' | 'model'>

export function command(cli: Cli): Command {
  return new Command('model')
    .description('List the inference providers, or choose one: agent model openai gpt-5')
    .argument('[provider]', 'provider to answer from now on')
    .argument('[model]', 'model of that provider')
    .option('--url <address>', 'address of the server of that provider')
    .option('--no-try', 'keep the choice without a call that tries it')
    .option('--json', 'as JSON')
    .action(async (provider: string | undefined, model: string | undefined, options: ListOptions & ChooseOptions) => {
      if (provider === undefined) await listModels(cli, options)
      else await chooseProvider(cli, provider, model?.trim() || undefined, options)
    })
}

async function listModels(cli: Cli, options: ListOptions): Promise<void> {
  const { home, loaded, catalog } = await openCatalog(cli)
  const chosen = readChoice({ catalog, loaded })
  const found = await probeLocalServers({ catalog, ...loaded, environmentFile: home.files.env, fetch }, cli.signal)
  const rows = listProviders({ catalog, loaded, found })
  if (options.json) {
    cli.json({ provider: chosen?.provider ?? null, model: chosen?.model ?? null, offline: chosen?.implicit ?? false, providers: rows })
    return
  }
  cli.out(`${formatChoice(chosen)}\n`)
  cli.out(formatTable(rows.map((row) => [`  ${paint(cli, row.state === 'chosen' ? 'green' : 'cyan', row.id)}`, row.state, row.detail])))
  cli.out('\nagent model <provider> [model] chooses one.')
}

async function chooseProvider(cli: Cli, provider: string, named: string | undefined, options: ChooseOptions): Promise<void> {
  const { home, loaded: stored, catalog } = await openCatalog(cli)
  const { spec } = findProvider(catalog, provider)
  const model = named ?? spec.defaultModel
  if (model === undefined) return refuse(cli, [`${provider} has no usual model. Name one: agent model ${provider} <model>`])
  const choice = { provider, model }
  const loaded = withChoice(stored, choice, options.url)
  const lacks = listLacks(spec, loaded, home.files.env)
  if (options.try) {
    const problem = lacks.length > 0 ? `${provider} cannot answer yet.` : await findTrouble(cli, choice, loaded.config.model)
    if (problem !== undefined)
      return refuse(cli, [problem, ...lacks, 'The model was not changed. With --no-try the choice is kept all the same.'])
  }
  const before = readChoice({ catalog, loaded: stored })
  const lines = keepModel(cli, { home, loaded: stored, before, choice, url: options.url })
  cli.out(`${provider} answers from now on with ${model}.`)
  for (const line of [...lacks, ...lines]) cli.out(line)
  for (const line of await reloadGateway(cli, home, { unchanged: 'The running gateway uses it from the next turn on.' })) cli.out(line)
}

/** The settings as they would be with the choice. */
function withChoice(loaded: Loaded, { provider, model }: Choice, url: string | undefined): Loaded {
  const { model: before } = loaded.config
  const isOwn = (before.provider || 'custom') === provider
  const rest = isOwn ? before : { ...before, base_url: '', api_key: '' }
  const after = { ...rest, provider, default: model, ...(url === undefined ? {} : { base_url: url }) }
  return { ...loaded, config: { ...loaded.config, model: after } }
}

function refuse(cli: Cli, lines: readonly string[]): void {
  for (const line of lines) cli.note(line)
  cli.exit(1)
}

/** Why the model does not answer; undefined where it does. */
async function findTrouble(cli: Cli, choice: Choice, settings: Loaded['config']['model']): Promise<string | undefined> {
  const { installRoot, environment, profile, note } = cli
  cli.note(`Trying ${choice.provider}/${choice.model} …`)
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
