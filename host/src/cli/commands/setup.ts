import { Command } from 'commander'
import { formatChoice, listProviders, readChoice } from '#commands/model-list.ts'
import { probeLocalServers } from '#models/probe.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import type { Cli } from '../console/cli.ts'
import { openAsker } from '../setup/asker.ts'

export function command(cli: Cli): Command {
  const setup = new Command('setup').description('Put agent on your PATH, choose a model, and say what else there is to set up')
  setup
    .command('model [provider]')
    .description('choose a model by questions: provider, key or login, model, and one call that tries it')
    .action(async (provider: string | undefined) => (await import('../auth/setup-model.ts')).setUpModel(cli, provider))
  return setup.option('--yes', 'put it there without a question').action(async (options: { readonly yes?: true }) => {
    const { linkProgram } = await import('../setup/link-program.ts')
    await linkProgram(cli, { yes: options.yes === true })
    if (!options.yes && cli.terminal) await offerModel(cli)
    await sayWhatIsNext(cli)
  })
}

/** Where no model is chosen, that is what somebody needs next. */
async function offerModel(cli: Cli): Promise<void> {
  const chosen = readChoice(await openCatalog(cli))
  if (chosen && !chosen.implicit) return
  if (!(await agrees(cli, 'No model is chosen yet. Choose one now? [Y/n] '))) return
  await (await import('../auth/setup-model.ts')).setUpModel(cli, undefined)
}

async function agrees(cli: Cli, question: string): Promise<boolean> {
  using asker = openAsker(cli)
  return /^(y(es)?)?$/i.test(await asker.ask(question))
}

async function sayWhatIsNext(cli: Cli): Promise<void> {
  const { home, loaded, catalog } = await openCatalog(cli)
  const found = await probeLocalServers({ catalog, ...loaded, environmentFile: home.files.env, fetch }, cli.signal)
  cli.out(`\n${formatChoice(readChoice({ catalog, loaded }))}`)
  for (const { id, detail } of listProviders({ catalog, loaded, found }).filter(({ state }) => state === 'found'))
    cli.out(`  ${id}: ${detail}`)
  cli.out(
    'Next: agent setup model chooses a model by questions, agent gateway setup adds a messaging platform, agent doctor looks for trouble.',
  )
}
