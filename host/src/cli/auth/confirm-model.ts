import { isAgentError } from '@agent/plugin-sdk/errors'
import type { ProviderContribution } from '#models/request/endpoint.ts'
import { printable } from '#observe/printable.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { chooseModel, listModelsOf } from '#rpc/model/choose-model.ts'
import type { Cli } from '../console/cli.ts'
import { openAsker } from '../setup/asker.ts'

type Named = Pick<ProviderContribution, 'id'>

/** Tries a model, and keeps it where it answers. */
export async function chooseTried(
  cli: Cli,
  { id: provider }: Named,
  { model, url }: { readonly model: string | undefined; readonly url?: string | undefined },
): Promise<boolean> {
  const isSure = async (question: string): Promise<boolean> => /^y(es)?$/i.test((await askPlainly(cli, `${question} [y/N]`)).trim())
  const { kept, lines } = await chooseModel(cli, { provider, model, url, try: true, form: 'agent model', ask: isSure })
  for (const line of lines) cli.note(line)
  return kept
}

/** The model answers already. The person keeps it, or names another one, which takes its place when it answers too. */
export async function confirmModel(cli: Cli, provider: Named, first: string): Promise<void> {
  let model = first
  for (;;) {
    const said = await askPlainly(cli, `Keep ${model}? (Enter: yes, ?: the others, or the name of another)`)
    if (/^(y(es)?)?$/i.test(said) || said === model) return
    if (said === '?') await showModels(cli, provider)
    else if (await chooseTried(cli, provider, { model: said })) model = said
    else cli.note(`${provider.id} goes on answering with ${model}.`)
  }
}

async function showModels(cli: Cli, { id }: Named): Promise<void> {
  try {
    const models = await listModelsOf(cli, id, (await openCatalog(cli)).loaded.config.model)
    cli.note(models.map(printable).join('\n') || `${id} lists no model.`)
  } catch (error) {
    if (!isAgentError(error) || error.code === 'INTERRUPTED') throw error
    cli.note(error.message)
  }
}

/** A question on a line by itself. */
export async function askPlainly(cli: Cli, question: string, options: { readonly secret?: true } = {}): Promise<string> {
  using asker = openAsker(cli)
  // A login asks in between, in its way.
  cli.note(question)
  return await (options.secret ? asker.askSecret('> ') : asker.ask('> '))
}
