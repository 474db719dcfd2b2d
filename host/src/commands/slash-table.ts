import { chatCommands } from './chat-commands.ts'
import { platformCommand } from './platform-command.ts'
import { reasoningCommand } from './reasoning-command.ts'
import { newCommand, stopCommand, titleCommand, usageCommand } from './session-commands.ts'
import type { SlashCommand, Surface } from './slash.ts'
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
  run: ({ door }) => door.say(formatHelp(offeredCommands(door.surface).filter((command) => door.chat?.mayUse(command) !== false))),
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
  ...chatCommands,
  helpCommand,
  versionCommand,
]

/** The commands of a surface. */
export function offeredCommands(surface: Surface): readonly SlashCommand[] {
  return slashTable.filter((command) => command.surfaces.includes(surface))
}

function formatHelp(commands: readonly SlashCommand[]): string {
  const heads = commands.map(
    ({ name, aliases, args }) => [`/${name}`, ...aliases.map((alias) => `/${alias}`)].join(', ') + (args ? ` ${args}` : ''),
  )
  const width = Math.max(...heads.map((head) => head.length))
  return commands.map(({ summary }, index) => `${(heads[index] ?? '').padEnd(width)}  ${summary}`).join('\n')
}
