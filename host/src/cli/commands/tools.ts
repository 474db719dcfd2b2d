import { Command } from 'commander'
import { type Cli, formatTable, paint } from '../cli.ts'
import { openCatalog } from '../open-catalog.ts'
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
  return tools
}

async function listTools(cli: Cli, json: boolean): Promise<void> {
  const { catalog } = await openCatalog(cli)
  const toolsets = catalog.plugins.flatMap((plugin) =>
    (plugin.installed?.manifest.contributes.toolsets ?? []).map((spec) => {
      const listed = plugin.contributions.find((each) => each.kind === 'toolset' && each.id === spec.id)
      const tools = spec.tools.map(({ name, description, effect }) => ({ name, description, effect }))
      return { id: spec.id, plugin: plugin.id, state: listed?.state ?? 'blocked', reason: listed?.reason?.text ?? null, tools }
    }),
  )
  if (json) {
    cli.json({ toolsets })
    return
  }
  for (const toolset of toolsets) {
    cli.out(`${paint(cli, 'bold', toolset.id)}${toolset.state === 'ready' ? '' : `  ${toolset.reason}`}`)
    cli.out(formatTable(toolset.tools.map((tool) => [`  ${paint(cli, 'cyan', tool.name)}`, tool.description.split('\n')[0] ?? ''])))
  }
}
