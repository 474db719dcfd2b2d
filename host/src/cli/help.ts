import { commands } from './command-table.ts'
import { type Cli, formatTable, paint } from './console/cli.ts'

export function printHelp(cli: Cli): void {
  cli.out(`${paint(cli, 'bold', 'agent')}: one tool-using agent, in this terminal, on messaging platforms and over HTTP.\n`)
  cli.out('Usage: agent [-p profile] <command> [options]\n')
  cli.out(formatTable(Object.entries(commands).map(([name, entry]) => [`  ${paint(cli, 'cyan', name)}`, entry.summary])))
  cli.out('\nagent <command> --help tells more about one command.')
}
