import type { Command } from 'commander'
import { allowProjectServer, forgetProjectServer } from '#rpc/mcp/project-servers.ts'
import type { Cli } from '../console/cli.ts'

/** What a person says about the servers of a project without being asked. */
export function addProjectCommands(cli: Cli, mcp: Command): void {
  mcp
    .command('allow <name>')
    .description('let the agent use a server that .mcp.json of this project names, as it stands there now')
    .action(async (name: string) => {
      const { shown } = await allowProjectServer(cli, name)
      cli.out(`${name} may be used in this project: ${shown}`)
    })
  mcp
    .command('forget <name>')
    .description('forget what was allowed of a server of this project and of its tools')
    .action(async (name: string) => {
      const forgotten = await forgetProjectServer(cli, name)
      cli.out(forgotten ? `What was allowed of ${name} in this project is forgotten.` : `Nothing of ${name} was allowed in this project.`)
      if (!forgotten) cli.exit(1)
    })
}
