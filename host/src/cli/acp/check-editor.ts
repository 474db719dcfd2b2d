import { readModelState } from '#rpc/model/read-model.ts'
import type { Cli } from '../console/cli.ts'

/** Says what would answer an editor. */
export async function checkEditor(cli: Cli): Promise<void> {
  const { provider, model, offline, problem } = await readModelState(cli)
  if (problem !== undefined) {
    cli.note(problem)
    return cli.exit(1)
  }
  cli.out(`An editor can start agent acp: ${provider}/${model} answers.`)
  if (offline) cli.out('No model is chosen, so the offline model stands in. agent setup model chooses one.')
}
