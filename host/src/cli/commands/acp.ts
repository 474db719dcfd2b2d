import { Command } from 'commander'
import type { Cli } from '../console/cli.ts'

interface AcpOptions {
  readonly check?: true
  readonly setup?: true
}

export function command(cli: Cli): Command {
  return new Command('acp')
    .description('Work in an editor: speak the Agent Client Protocol on standard input and output. An editor starts this.')
    .option('--check', 'say whether an editor could work with it, and leave')
    .option('--setup', 'choose a model by questions, and leave')
    .action(async ({ check, setup }: AcpOptions) => {
      if (setup) return (await import('../auth/setup-model.ts')).setUpModel(cli, undefined)
      if (check) return (await import('../acp/check-editor.ts')).checkEditor(cli)
      if (cli.terminal) cli.note('An editor starts agent acp and talks to it here. Ctrl-D ends it; agent chat is for people.')
      return (await import('../acp/serve-editor.ts')).serveEditor(cli)
    })
}
