import { readChoice } from '#commands/model-list.ts'
import { systemClock } from '#kernel/clock.ts'
import { type LoginTalk, runLogin } from '#models/credentials/run-login.ts'
import type { ProviderContribution } from '#models/request/endpoint.ts'
import { findProvider } from '#models/select.ts'
import { reloadGateway } from '../gateway/reload-gateway.ts'
import { type OpenedCatalog, openCatalog } from '../home/open-catalog.ts'
import type { HomeContext } from '../home-context.ts'
import { chooseModel, findTrouble } from '../model/choose-model.ts'

export interface LoggedInTo {
  readonly provider: string
  /** What the model was tried with; undefined where no call was made. */
  readonly model?: string | undefined
  readonly answers: boolean | undefined
  /** It answers from now on. */
  readonly chosen: boolean
  readonly lines: readonly string[]
}

export interface LoginWish {
  /** One call is made with the usual model. */
  readonly try: boolean
  readonly talk: LoginTalk
  /** Asks before a dear model is tried; absent: it is not taken. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined
  /** Called once the login is kept. */
  readonly onKept?: () => void
}

/** Logs in, keeps the login, and tries one call; where nothing was chosen yet, the provider answers from now on. */
export async function logIn(context: HomeContext, wanted: string, { talk, ask, onKept, ...wish }: LoginWish): Promise<LoggedInTo> {
  const { home, loaded, catalog } = await openCatalog(context)
  const before = readChoice({ catalog, loaded })
  const contribution = findProvider(catalog, wanted)
  const { id: provider, spec } = contribution
  await walkLogin(context, contribution, { home, loaded }, talk)
  onKept?.()
  const shadow = spec.keyEnv.find((name) => loaded.environment.get(name) !== undefined)
  const lines = [`Logged in to ${provider}.`, ...(shadow === undefined ? [] : [`${shadow} is set, and holds before the login.`])]
  const model = spec.defaultModel
  const takeOver = () => reloadGateway(context, home, { unchanged: 'The running gateway uses it from now on.' })
  if (!wish.try || model === undefined) return { provider, answers: undefined, chosen: false, lines: [...lines, ...(await takeOver())] }
  if (before === undefined || before.implicit) {
    const { kept, lines: more } = await chooseModel(context, { provider, model, try: true, form: 'agent model', ask })
    return { provider, model, answers: kept, chosen: kept, lines: [...lines, ...more] }
  }
  const trouble = await findTrouble(context, { provider, model }, loaded.config.model)
  const way = before.provider === provider ? [] : [`agent model ${provider} lets it answer from now on.`]
  const said = [...lines, trouble ?? `${provider}/${model} answers.`, ...way, ...(await takeOver())]
  return { provider, model, answers: trouble === undefined, chosen: false, lines: said }
}

/** Leads a person through a login, and keeps it. */
export function walkLogin(
  { signal }: Pick<HomeContext, 'signal'>,
  contribution: ProviderContribution,
  { home, loaded }: Pick<OpenedCatalog, 'home' | 'loaded'>,
  talk: LoginTalk,
): Promise<void> {
  const place = { file: home.files.auth, environment: loaded.environment, environmentFile: home.files.env }
  return runLogin(contribution, { ...place, clock: systemClock, signal, talk })
}
