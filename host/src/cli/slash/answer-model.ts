import type { OpenAgent } from '#agent/open-agent.ts'
import { formatChoice, listProviders, readChoice } from '#commands/model-list.ts'
import type { ModelReply, SlashSurface } from '#commands/slash.ts'
import { hostRow } from '#kernel/catalog/kind-rows.ts'
import { probeLocalServers } from '#models/probe.ts'
import type { Cli } from '../console/cli.ts'
import { openCatalog } from '../home/open-catalog.ts'
import { chooseModel } from './choose-model.ts'

const usage =
  '/model takes a provider, a model and --no-try. An address is given in a shell: agent model <provider> <model> --url <address>'

/** What `/model <args>` answers. The agent of a chat at a terminal takes the choice over at once. */
export async function answerModel(cli: Cli, agent: OpenAgent, args: string, surface: SlashSurface): Promise<ModelReply> {
  const words = args.split(/\s+/).filter(Boolean)
  const [provider, model, ...rest] = words.filter((word) => word !== '--no-try')
  if (provider === undefined) return { said: await listModels(cli), kept: false }
  if (provider.startsWith('-') || model?.startsWith('-') || rest.length > 0) return { said: usage, kept: false }
  const { kept, lines } = await chooseModel(cli, { provider, model, try: !words.includes('--no-try'), form: '/model' })
  if (kept && surface === 'cli') await takeOver(agent)
  return { said: lines.join('\n'), kept }
}

async function listModels(cli: Cli): Promise<string> {
  const { home, loaded, catalog } = await openCatalog(cli)
  const found = await probeLocalServers({ catalog, ...loaded, environmentFile: home.files.env, fetch }, cli.signal)
  const rows = listProviders({ catalog, loaded, found }).map(
    ({ id, state, detail }) => `${id}: ${[state, detail].filter(Boolean).join(', ')}`,
  )
  return [formatChoice(readChoice({ catalog, loaded })), ...rows, '/model <provider> [model] chooses one.'].join('\n')
}

/** What else has changed in the settings waits for the next start. */
async function takeOver({ generations }: OpenAgent): Promise<void> {
  const candidate = await generations.prepare()
  const others = candidate.changes.filter(
    ({ contribution, needsRestart }) => needsRestart || hostRow(contribution.kind).reads === undefined,
  )
  generations.adopt(candidate, new Set(others.map(({ key }) => key)))
}
