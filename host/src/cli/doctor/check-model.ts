import { withTimeLimit } from '@agent/plugin-sdk'
import { type AgentError, isAgentError } from '@agent/plugin-sdk/errors'
import { openAgent } from '#agent/open-agent.ts'
import { authFiles } from '#config/auth/logged-in.ts'
import { systemClock } from '#kernel/clock.ts'
import { nearestName } from '#kernel/nearest-name.ts'
import { openProvedEndpoint } from '#models/accounts/open-proved.ts'
import { createTrialBook } from '#models/book.ts'
import { countCalls } from '#models/count-calls.ts'
import { openCredentials } from '#models/credentials/open-credentials.ts'
import { fetchModels } from '#models/list/fetch-models.ts'
import { givenKey, type ModelChoice } from '#models/request/endpoint.ts'
import { chooseModel, findProvider } from '#models/select.ts'
import { tryModel } from '#models/try-model.ts'
import type { OpenedCatalog } from '#rpc/home/open-catalog.ts'
import type { Cli } from '../console/cli.ts'
import { broken, type Finding, failed, fine, warn } from './finding.ts'

const check = 'model'
const askMs = 10_000

/** These say that the model would not answer; anything else that a list of models may end with says nothing about that. */
const telling = new Set([
  'LOGIN_NEEDED',
  'LOGIN_ENDED',
  'LOGIN_FAILED',
  'MODEL_AUTH',
  'MODEL_BILLING',
  'MODEL_DISCONNECTED',
  'MODEL_TIMEOUT',
  'MODEL_PROVIDER_POLICY_BLOCKED',
  'TIMED_OUT',
])

/** Whether the chosen model would answer: its key and address, what its server says when it is asked for its models, and a real call where that is wanted. */
export async function checkModel(cli: Cli, found: OpenedCatalog, wantsCall: boolean): Promise<Finding> {
  try {
    const choice = chooseModel({ catalog: found.catalog, ...found.loaded }, {})
    if (choice.implicit) return warn(check, 'no provider is configured; only the offline model answers', 'agent model lists the providers')
    if (wantsCall) return await tryCall(cli, choice)
    if (choice.provider === 'offline') return fine(check, `${choice.provider}/${choice.model}`)
    return await askServer(cli, found, choice)
  } catch (error) {
    cli.signal.throwIfAborted()
    return failed(check, error)
  }
}

async function askServer(cli: Cli, { catalog, loaded, home }: OpenedCatalog, choice: ModelChoice): Promise<Finding> {
  const { provider, model } = choice
  const name = `${provider}/${model}`
  const contribution = findProvider(catalog, provider)
  if (!contribution.spec.protocol) return fine(check, `${name}; it brings its own code: agent doctor --call tries it`)
  const credentials = openCredentials({
    ...{ files: authFiles(home), loggedIn: () => loaded.loggedIn, clock: systemClock, signal: cli.signal, random: Math.random },
    strategyOf: () => 'fill_first',
    keepSecret: (secret) => loaded.environment.keepSecret(secret),
  })
  const credential = await credentials(contribution, givenKey(contribution.spec, loaded))
  const endpoint = await openProvedEndpoint(contribution, { ...loaded, environmentFile: home.files.env, clock: systemClock }, credential)
  try {
    const ask = (signal: AbortSignal): Promise<readonly string[]> => fetchModels(endpoint, fetch, signal)
    const models = await withTimeLimit({ clock: systemClock, signal: cli.signal, ms: askMs, what: provider }, ask)
    if (models.length === 0 || models.includes(model)) return fine(check, `${name}; its server answers`)
    const nearest = nearestName(model, models)
    const fix = nearest === undefined ? `agent model ${provider} <model>` : `agent model ${provider} ${nearest}`
    return warn(check, `${name}; its server answers and does not list this model`, fix)
  } catch (error) {
    cli.signal.throwIfAborted()
    if (!isAgentError(error)) throw error
    if (telling.has(error.code)) return broken(check, `${name}: ${error.message}`, fixOf(error, choice))
    return fine(check, `${name}; its server answers, and agent doctor --call tries the model`)
  }
}

async function tryCall(cli: Cli, choice: ModelChoice): Promise<Finding> {
  const { provider, model } = choice
  const agent = await openAgent({ installRoot: cli.installRoot, environment: cli.environment, profile: cli.profile, note: cli.note })
  try {
    const started = systemClock.now()
    const models = countCalls(agent.models, { book: createTrialBook({ usage: agent.store.usage, log: agent.log }), source: 'try' })
    const opened = await models.model({ provider, model })
    await tryModel(opened, { clock: systemClock, signal: cli.signal })
    return fine(check, `${provider}/${model} answered a call in ${((systemClock.now() - started) / 1000).toFixed(1)} s`)
  } catch (error) {
    if (!isAgentError(error) || !error.code.startsWith('MODEL_')) throw error
    return broken(check, `${provider}/${model}: ${error.message}`, fixOf(error, choice))
  } finally {
    await agent.close()
  }
}

/** What to do where a model does not answer; the sentence of the error has said why. */
function fixOf({ code }: AgentError, { provider }: ModelChoice): string {
  if (code === 'MODEL_DISCONNECTED' || code === 'MODEL_TIMEOUT' || code === 'TIMED_OUT')
    return `start its server, or agent model ${provider} --url https://… where the address is another one`
  if (code === 'MODEL_AUTH') return 'correct the key, then agent gateway reload where a gateway runs'
  return `agent model ${provider} tries it again; agent model lists the others`
}
