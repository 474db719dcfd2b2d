import { Command } from 'commander'
import { formatChoice, listProviders, readChoice } from '#commands/model-list.ts'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { systemClock } from '#kernel/clock.ts'
import { openFacts } from '#models/catalog/facts.ts'
import { fetchFacts, publicCatalog } from '#models/catalog/fetch-facts.ts'
import { formatFact } from '#models/catalog/format-fact.ts'
import { probeLocalServers } from '#models/probe.ts'
import { findProvider } from '#models/select.ts'
import { printable } from '#observe/printable.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { chooseModel, listModelsOf } from '#rpc/model/choose-model.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { askerOf } from '../console/confirm.ts'

interface ListOptions {
  readonly json?: true
  readonly list?: true
  readonly refresh?: true
  readonly from?: string
}

interface ChooseOptions {
  /** `--no-try`. */
  readonly try: boolean
  readonly url?: string
  readonly yes?: true
}

export function command(cli: Cli): Command {
  return new Command('model')
    .description('List the inference providers, or choose one: agent model openai gpt-5')
    .argument('[provider]', 'provider to answer from now on')
    .argument('[model]', 'model of that provider')
    .option('--url <address>', 'address of the server of that provider')
    .option('--no-try', 'keep the choice without a call that tries it')
    .option('--yes', 'also where the model is dear')
    .option('--list', 'list the models of that provider, and choose none')
    .option('--refresh', 'fetch what is known of models: limits, pictures, prices, ends')
    .option('--from <address>', 'where --refresh fetches it', publicCatalog)
    .option('--json', 'as JSON')
    .action(async (provider: string | undefined, model: string | undefined, options: ListOptions & ChooseOptions) => {
      if (options.refresh) await refreshFacts(cli, options)
      else if (provider === undefined) await printProviders(cli, options)
      else if (options.list) await listModels(cli, provider, options)
      else await chooseProvider(cli, provider, model?.trim() || undefined, options)
    })
}

async function refreshFacts(cli: Cli, { json, from = publicCatalog }: ListOptions): Promise<void> {
  const { home } = await openCatalog(cli)
  const found = await fetchFacts({ source: from, fetch, clock: systemClock, signal: cli.signal })
  writeFileAtomic(home.files.modelCatalog, JSON.stringify(found))
  const { asOf, source, models } = found
  const counts = { providers: Object.keys(models).length, models: Object.values(models).flatMap((each) => Object.keys(each)).length }
  if (json) cli.json({ asOf, source, ...counts })
  else cli.out(`${counts.models} models of ${counts.providers} providers are known now, from ${source}.`)
}

async function listModels(cli: Cli, provider: string, { json }: ListOptions): Promise<void> {
  const { loaded, catalog } = await openCatalog(cli)
  const { id } = findProvider(catalog, provider)
  const models = await listModelsOf(cli, id, loaded.config.model)
  if (json) cli.json({ provider: id, models })
  else cli.out(models.map(printable).join('\n') || `${id} lists no model.`)
  // Beside what programs read.
  if (!json && models.length > 0) cli.note(`This is what ${id} lists now.`)
}

async function printProviders(cli: Cli, options: ListOptions): Promise<void> {
  const { home, loaded, catalog } = await openCatalog(cli)
  const chosen = readChoice({ catalog, loaded })
  const facts = openFacts({ file: home.files.modelCatalog, loaded })
  const found = await probeLocalServers({ catalog, ...loaded, environmentFile: home.files.env, fetch }, cli.signal)
  const rows = listProviders({ catalog, loaded, found })
  if (options.json) {
    const fact = (chosen && (await facts.of(chosen.provider, chosen.model))) ?? null
    const { provider = null, model = null, implicit: offline = false } = chosen ?? {}
    cli.json({ provider, model, offline, fact, catalog: (await facts.about()) ?? null, providers: rows })
    return
  }
  const known = chosen && formatFact(await facts.of(chosen.provider, chosen.model))
  const about = await facts.about()
  const fact = known && about ? `${known} Fetched from ${about.source} on ${about.asOf}; the settings hold before it.` : known
  cli.out(formatTable(rows.map((row) => [`  ${paint(cli, row.state === 'chosen' ? 'green' : 'cyan', row.id)}`, row.state, row.detail])))
  cli.out(`\n${[formatChoice(chosen), ...(fact ? [fact] : [])].join('\n')}`)
  cli.out('agent model <provider> [model] chooses one; agent setup model asks for what it needs.')
}

async function chooseProvider(cli: Cli, provider: string, model: string | undefined, options: ChooseOptions): Promise<void> {
  const { kept, lines } = await chooseModel(cli, {
    provider,
    model,
    url: options.url,
    try: options.try,
    form: 'agent model',
    yes: options.yes,
    ask: askerOf(cli),
  })
  for (const line of lines) (kept ? cli.out : cli.note)(line)
  if (!kept) cli.exit(1)
}
