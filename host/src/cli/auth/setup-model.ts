import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { listProviders, type ProviderRow, readChoice } from '#commands/model-list.ts'
import { writeEnvValue } from '#config/environment/env-file.ts'
import { probeLocalServers } from '#models/probe.ts'
import { givenBaseUrl, givenKey, type ProviderContribution } from '#models/request/endpoint.ts'
import { findProvider } from '#models/select.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { walkLogin } from '#rpc/logins/log-in.ts'
import type { Cli } from '../console/cli.ts'
import { askPlainly, chooseTried, confirmModel } from './confirm-model.ts'
import { talkAt } from './talk-at.ts'

type Step = 'key' | 'login' | 'address' | 'model'

/**
 * Leads through the choice of a model: provider, key or login, address, and one call that has to succeed. The usual model of the provider is
 * kept then, and the person confirms it or names another one. What a step has gained is kept at once, so that who leaves goes on there the next time.
 */
export async function setUpModel(cli: Cli, word: string | undefined): Promise<void> {
  if (!cli.terminal)
    throw fail('USAGE', { problem: 'agent setup model asks questions, and nobody is there to answer.', try: 'agent model PROVIDER MODEL' })
  const provider = word === undefined ? await askProvider(cli) : findProvider((await openCatalog(cli)).catalog, word)
  let again: Step | undefined
  for (;;) {
    const url = await prove(cli, provider, again)
    const usual = again === 'model' ? undefined : await usualModel(cli, provider)
    const model = usual ?? (await askModel(cli, provider))
    if (await chooseTried(cli, provider, { model, url })) {
      if (usual !== undefined) await confirmModel(cli, provider, usual)
      return cli.note('Talk to it: agent chat')
    }
    again = await askNext(cli, provider)
    if (again === undefined) return cli.exit(1)
  }
}

/** The one that answers by the settings, where that is of this provider; else the one that the provider recommends. */
async function usualModel(cli: Cli, { id, spec }: ProviderContribution): Promise<string | undefined> {
  const now = readChoice(await openCatalog(cli))
  return now?.provider === id ? now.model : spec.defaultModel
}

/** Those that would answer come first; the first of them is taken by Enter alone. */
async function askProvider(cli: Cli): Promise<ProviderContribution> {
  const { home, loaded, catalog } = await openCatalog(cli)
  const found = await probeLocalServers({ catalog, ...loaded, environmentFile: home.files.env, fetch }, cli.signal)
  const rows = listProviders({ catalog, loaded, found }).filter(({ id }) => id !== 'offline')
  const ready = rows.filter(({ state }) => state !== 'available')
  for (const { id, detail } of ready) cli.note(`${id} is set up${detail === '' ? '' : `: ${detail}`}`)
  cli.note(`Providers: ${rows.map(({ id }) => id).join(', ')}`)
  for (;;) {
    const said = await askPlainly(cli, questionOf(ready))
    try {
      return findProvider(catalog, said === '' && ready[0] ? ready[0].id : said)
    } catch (error) {
      if (!isAgentError(error, 'PROVIDER_UNKNOWN')) throw error
      cli.note(error.message)
    }
  }
}

function questionOf([first]: readonly ProviderRow[]): string {
  return `Which provider?${first ? ` (Enter: ${first.id})` : ''}`
}

/** Gains what the provider lacks, or once more what `again` names. Answers with an address that goes with the choice. */
async function prove(cli: Cli, provider: ProviderContribution, again: Step | undefined): Promise<string | undefined> {
  const opened = await openCatalog(cli)
  const { loaded, home } = opened
  const { id, spec } = provider
  const isProved = givenKey(spec, loaded) !== undefined || loaded.loggedIn.has(id)
  const wants = again === 'key' || again === 'login' || (again === undefined && !isProved)
  const way = wants ? await askWay(cli, provider, again) : undefined
  if (way === 'login') await walkLogin(cli, provider, opened, talkAt(cli, provider.id))
  if (way === 'key') await askKey(cli, provider, home.files.env)
  const needsAddress = spec.protocol !== undefined && spec.baseUrl === undefined && givenBaseUrl(spec, loaded) === undefined
  if (!needsAddress && again !== 'address') return undefined
  return (await askPlainly(cli, `Address of ${id}, such as http://127.0.0.1:8000/v1:`)) || undefined
}

async function askWay(cli: Cli, { id, spec }: ProviderContribution, again: Step | undefined): Promise<'key' | 'login' | undefined> {
  const takesKey = spec.keyEnv.length > 0 && spec.auth !== 'none'
  if (again === 'key' || again === 'login') return again
  if (spec.login && takesKey)
    return (await askPlainly(cli, `${id} takes a login or a key. (Enter: login, k: key)`)).startsWith('k') ? 'key' : 'login'
  if (spec.login) return 'login'
  return takesKey && spec.auth !== 'none' ? 'key' : undefined
}

async function askKey(cli: Cli, { id, spec }: ProviderContribution, environmentFile: string): Promise<void> {
  const [name = ''] = spec.keyEnv
  const isOptional = spec.auth === 'optional-key'
  const key = await askPlainly(
    cli,
    `Key of ${id}; it is not shown, and kept as ${name} in ${environmentFile}.${isOptional ? ' (Enter: none)' : ''}`,
    {
      secret: true,
    },
  )
  if (key !== '') writeEnvValue(environmentFile, name, key)
}

async function askModel(cli: Cli, { id, spec }: ProviderContribution): Promise<string | undefined> {
  for (;;) {
    const said = await askPlainly(cli, `Which model of ${id}?${spec.defaultModel ? ` (Enter: ${spec.defaultModel})` : ''}`)
    if (said !== '' || spec.defaultModel !== undefined) return said || undefined
  }
}

/** Undefined leaves it. */
async function askNext(cli: Cli, { spec }: ProviderContribution): Promise<Step | undefined> {
  const steps: readonly Step[] = [
    'model',
    ...(spec.keyEnv.length > 0 && spec.auth !== 'none' ? (['key'] as const) : []),
    ...(spec.login ? (['login'] as const) : []),
    ...(spec.protocol ? (['address'] as const) : []),
  ]
  const said = await askPlainly(cli, `Try another ${steps.join(', ')}? (one of these words; Enter leaves it)`)
  return steps.find((step) => said !== '' && step.startsWith(said))
}
