import { Command } from 'commander'
import type { Cli } from '../console/cli.ts'
import type { EvalOptions } from './run-eval.ts'

/** `agent eval`. */
export function command(cli: Cli): Command {
  return new Command('eval')
    .description('Try conversations that are written down: what is said, and what has to come of it.')
    .argument('<folder>', 'its eval.yaml and *.eval.yaml files, also those below; or one file')
    .option('--provider <id>', 'inference provider; without a model and a provider of yours the offline one answers by the scripts')
    .option('-m, --model <name>', 'model')
    .option('--only <text>', 'only those with this text in their file or name')
    .option('--jobs <number>', 'so many at once', '2')
    .option('--json', 'as JSON')
    .option('--junit <file>', 'also write a report for build servers')
    .action(async (folder: string, options: EvalOptions) => (await import('./run-eval.ts')).runEval(cli, folder, options))
}
