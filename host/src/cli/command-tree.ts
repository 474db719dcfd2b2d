import type { Command } from 'commander'
import { commands } from './command-table.ts'
import type { Cli } from './console/cli.ts'

/** Every command as commander knows it, with subcommands and options; none of them can be run. */
export async function openCommandTree(): Promise<readonly Command[]> {
  const modules = await Promise.all(Object.values(commands).map((entry) => entry.load()))
  return modules.map(({ command }) => command(nowhere))
}

/** A world without anything in it: building a command must not look at it. */
const nowhere = new Proxy(
  {},
  {
    get(_target, name): never {
      throw new Error(`A command looked at cli.${String(name)} before it ran.`)
    },
  },
) as Cli
