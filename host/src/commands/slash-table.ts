import { platformCommand } from './platform-command.ts'
import { reasoningCommand } from './reasoning-command.ts'
import { newCommand, stopCommand, titleCommand, usageCommand } from './session-commands.ts'
import type { SlashCommand } from './slash.ts'
import { pluginsCommand, toolsCommand } from './tools-command.ts'

const both = ['cli', 'gateway'] as const

const versionCommand: SlashCommand = {
  name: 'version',
  aliases: [],
  args: '',
  summary: 'Say which version of agent this is',
  surfaces: both,
  run: ({ door, services }) => door.say(`agent ${services.version}`),
}

const helpCommand: SlashCommand = {
  name: 'help',
  aliases: [],
  args: '',
  summary: 'List the commands',
  surfaces: both,
  run: ({ door }) => door.say(formatHelp(slashTable.filter((command) => command.surfaces.includes(door.surface)))),
}

/** Every slash command. The terminal, the gateway's help and the command menus of platforms are made from this table. */
export const slashTable: readonly SlashCommand[] = [
  newCommand,
  stopCommand,
  titleCommand,
  usageCommand,
  toolsCommand,
  pluginsCommand,
  platformCommand,
  reasoningCommand,
  helpCommand,
  versionCommand,
]

function formatHelp(commands: readonly SlashCommand[]): string {
  const heads = commands.map(
    ({ name, aliases, args }) => [`/${name}`, ...aliases.map((alias) => `/${alias}`)].join(', ') + (args ? ` ${args}` : ''),
  )
  const width = Math.max(...heads.map((head) => head.length))
  return commands.map(({ summary }, index) => `${(heads[index] ?? '').padEnd(width)}  ${summary}`).join('\n')
}
