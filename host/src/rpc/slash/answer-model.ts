import type { OpenAgent } from '#agent/open-agent.ts'
import { formatChoice, listProviders, readChoice } from '#commands/model-list.ts'
import type { ModelReply, SlashSurface } from '#commands/slash.ts'
import { probeLocalServers } from '#models/probe.ts'
import { openCatalog } from '../home/open-catalog.ts'
import type { HomeContext } from '../home-context.ts'
import { chooseModel } from '../model/choose-model.ts'
import { takeOver } from '../model/take-over.ts'

const usage =
  '/model takes a provider, a model, --no-try and --yes. An address is given in a shell: agent model <provider> <model> --url <address>'

/** What `/model <args>` answers. The agent of a chat at a terminal takes the choice over at once. */
export async function answerModel(context: HomeContext, agent: OpenAgent, args: string, surface: SlashSurface): Promise<ModelReply> {
  const words = args.split(/\s+/).filter(Boolean)
  const [provider, model, ...rest] = words.filter((word) => word !== '--no-try' && word !== '--yes')
  if (provider === undefined) return { ...(await listModels(context, surface)), kept: false }
  if (provider.startsWith('-') || model?.startsWith('-') || rest.length > 0) return { said: usage, kept: false }
  const { kept, lines } = await chooseModel(context, {
    ...{ provider, model, try: !words.includes('--no-try'), yes: words.includes('--yes'), form: '/model' },
  })
  if (kept && surface === 'cli') await takeOver(agent.generations)
  return { said: lines.join('\n'), kept }
}

/** On a platform each line is a message that people wait for: only what can answer is told there. */
async function listModels(context: HomeContext, surface: SlashSurface): Promise<Pick<ModelReply, 'rows' | 'said'>> {
  const { home, loaded, catalog } = await openCatalog(context)
  const found = await probeLocalServers({ catalog, ...loaded, environmentFile: home.files.env, fetch }, context.signal)
  const all = listProviders({ catalog, loaded, found })
  const shown = surface === 'cli' ? all : all.filter(({ state }) => state !== 'available')
  const rows = shown.map(({ id, state, detail }) => [id, [state, detail].filter(Boolean).join(', ')] as const)
  const others = all.length - shown.length
  const more = others > 0 ? [`${others} more are not set up; agent model lists them where the agent runs.`] : []
  const said = [...more, formatChoice(readChoice({ catalog, loaded })), '/model <provider> [model] chooses one.'].join('\n')
  return { rows, said }
}
