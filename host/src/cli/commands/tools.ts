import { Command } from 'commander'
import { listedOf } from '#kernel/catalog/catalog.ts'
import { offersWeb } from '#tools/web/find-backend.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { openCatalog } from '../home/open-catalog.ts'
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

const noBackend = 'no web backend that is ready can do it'

async function listTools(cli: Cli, json: boolean): Promise<void> {
  const { catalog, loaded } = await openCatalog(cli)
  const web = { catalog, wanted: loaded.config.web.backend }
  const toolsets = catalog.plugins.flatMap((plugin) =>
    (plugin.installed?.manifest.contributes.toolsets ?? []).map((spec) => {
      const listed = listedOf({ plugins: [plugin] }, 'toolset').find(({ id }) => id === spec.id)
      const tools = spec.tools.map(({ name, description, effect, needsWeb }) => {
        const lacks = needsWeb !== undefined && !offersWeb(web, needsWeb) ? noBackend : null
        return { name, description, effect, lacks }
      })
      const reason = listed?.reason?.text ?? (tools.every(({ lacks }) => lacks) ? noBackend : null)
      return { id: spec.id, plugin: plugin.id, state: listed && reason === null ? 'ready' : 'blocked', reason, tools }
    }),
  )
  if (json) {
    cli.json({ toolsets })
    return
  }
  for (const { id, reason, tools } of toolsets) {
    cli.out(`${paint(cli, 'bold', id)}${reason === null ? '' : `  ${reason}`}`)
    const textOf = ({ lacks, description }: (typeof tools)[number]): string =>
      (reason === null && lacks) || (description.split('\n')[0] ?? '')
    cli.out(formatTable(tools.map((tool) => [`  ${paint(cli, 'cyan', tool.name)}`, textOf(tool)])))
  }
}
