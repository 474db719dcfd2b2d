import { createInterface } from 'node:readline/promises'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { readChoice } from '#commands/model-list.ts'
import { systemClock } from '#kernel/clock.ts'
import { runLogin } from '#models/credentials/run-login.ts'
import type { ProviderContribution } from '#models/request/endpoint.ts'
import { findProvider } from '#models/select.ts'
import { reloadGateway } from '#rpc/gateway/reload-gateway.ts'
import { type OpenedCatalog, openCatalog } from '#rpc/home/open-catalog.ts'
import { chooseModel, findTrouble } from '#rpc/model/choose-model.ts'
import type { Cli } from '../console/cli.ts'
import { askerOf } from '../console/confirm.ts'

export interface LoggedInTo {
  readonly provider: string
  /** What the model was tried with; undefined where no call was made. */
  readonly model?: string | undefined
  readonly answers: boolean | undefined
  /** It answers from now on. */
  readonly chosen: boolean
  readonly lines: readonly string[]
}

/** Logs in, keeps the login, and tries one call; where nothing was chosen yet, the provider answers from now on. */
export async function logIn(cli: Cli, wanted: string, options: { readonly try: boolean }): Promise<LoggedInTo> {
  const { home, loaded, catalog } = await openCatalog(cli)
  const before = readChoice({ catalog, loaded })
  const contribution = findProvider(catalog, wanted)
  const { id: provider, spec } = contribution
  await walkLogin(cli, contribution, { home, loaded })
  const shadow = spec.keyEnv.find((name) => loaded.environment.get(name) !== undefined)
  const lines = [`Logged in to ${provider}.`, ...(shadow === undefined ? [] : [`${shadow} is set, and holds before the login.`])]
  const model = spec.defaultModel
  const takeOver = () => reloadGateway(cli, home, { unchanged: 'The running gateway uses it from now on.' })
  if (!options.try || model === undefined) return { provider, answers: undefined, chosen: false, lines: [...lines, ...(await takeOver())] }
  if (before === undefined || before.implicit) {
    const { kept, lines: more } = await chooseModel(cli, { provider, model, try: true, form: 'agent model', ask: askerOf(cli) })
    return { provider, model, answers: kept, chosen: kept, lines: [...lines, ...more] }
  }
  const trouble = await findTrouble(cli, { provider, model }, loaded.config.model)
  const way = before.provider === provider ? [] : [`agent model ${provider} lets it answer from now on.`]
  const said = [...lines, trouble ?? `${provider}/${model} answers.`, ...way, ...(await takeOver())]
  return { provider, model, answers: trouble === undefined, chosen: false, lines: said }
}

/** Leads a person through a login, and keeps it. */
export function walkLogin(
  cli: Cli,
  contribution: ProviderContribution,
  { home, loaded }: Pick<OpenedCatalog, 'home' | 'loaded'>,
): Promise<void> {
  return runLogin(contribution, {
    ...{ file: home.files.auth, environment: loaded.environment, environmentFile: home.files.env },
    ...{ clock: systemClock, signal: cli.signal },
    showCode: ({ address, code, fullAddress, lastsMs }) => {
      cli.note(`Open ${address} in a browser, on any machine, and type in this code: ${code}`)
      if (fullAddress !== undefined) cli.note(`With the code in it: ${fullAddress}`)
      cli.note(`It is good for ${Math.round(lastsMs / 60_000)} minutes. Waiting …`)
    },
    showAddress: (address) => {
      cli.note(`Open this address in a browser:\n${address}`)
      cli.note('If the browser ends at a page that cannot be shown, or shows a code, paste that address or code here and press Enter.')
    },
    paste: (signal) => paste(cli, contribution.id, signal),
  })
}

/** A line of the person; where nobody can type, it never comes, and the browser alone can end the login. */
async function paste(cli: Cli, provider: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: cli.input })
  try {
    const next = await Promise.race([lines[Symbol.asyncIterator]().next(), aborted(signal)])
    if (!next.done) return String(next.value)
    if (cli.terminal) throw fail('LOGIN_FAILED', { provider, detail: 'the input has ended' })
    return await aborted(signal)
  } catch (error) {
    if (isAgentError(error)) throw error
    throw fail('INTERRUPTED')
  } finally {
    lines.close()
  }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
