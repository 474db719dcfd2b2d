import { Command } from 'commander'
import { printable } from '#observe/printable.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { listChoices, type ToolsetChoices } from '#rpc/tools/list-choices.ts'
import { listToolsets } from '#rpc/tools/list-toolsets.ts'
import { setUpTools } from '#rpc/tools/set-up-tools.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { switchPlugin } from '../plugins/switch-plugin.ts'

export function command(cli: Cli): Command {
  const tools = new Command('tools').description('See which tools the agent has, and switch toolsets.')
  tools
    .command('list', { isDefault: true })
    .description('every toolset with its tools')
    .option('--json', 'as JSON')
    .action((options: { json?: true }) => listTools(cli, options.json === true))
  tools
    .command('enable <toolset>')
    .description('switch a toolset on')
    .action((name: string) => switchPlugin(cli, name, 'on', {}))
  tools
    .command('disable <toolset>')
    .description('switch a toolset off')
    .action((name: string) => switchPlugin(cli, name, 'off', {}))
  tools
    .command('set-up <toolset>')
    .description('do what a toolset needs once after its installation')
    .action(async (name: string) => {
      for (const line of await setUpTools(cli, name)) cli.out(printable(line))
    })
  return tools
}

async function listTools(cli: Cli, json: boolean): Promise<void> {
  const opened = await openCatalog(cli)
  const toolsets = listToolsets(opened)
  const choices = listChoices(opened)
  if (json) {
    cli.json({ toolsets: toolsets.map((toolset) => ({ ...toolset, plugin: toolset.plugin.id })), ...choices })
    return
  }
  for (const { id, reason, setUp, tools } of toolsets) {
    cli.out(`${paint(cli, 'bold', id)}${reason === null ? '' : `  ${reason}`}`)
    const textOf = ({ lacks, description }: (typeof tools)[number]): string =>
      (reason === null && lacks) || (description.split('\n')[0] ?? '')
    if (setUp !== undefined) cli.out(`  ${setUp}: agent tools set-up ${id}`)
    cli.out(formatTable(tools.map((tool) => [`  ${paint(cli, 'cyan', tool.name)}`, textOf(tool)])))
  }
  showChoices(cli, 'Sets', choices.sets)
  showChoices(cli, 'Platforms with fewer toolsets', choices.platforms)
}

function showChoices(cli: Cli, title: string, rows: ToolsetChoices['sets']): void {
  if (rows.length === 0) return
  cli.out(`\n${title}`)
  cli.out(formatTable(rows.map(({ id, toolsets }) => [`  ${paint(cli, 'cyan', id)}`, toolsets.join(', ')])))
}
