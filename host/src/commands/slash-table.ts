import type { Catalog } from '#kernel/catalog/catalog.ts'
import { chatCommands } from './chat-commands.ts'
import { memoryCommand } from './memory-command.ts'
import { modelCommand } from './model-command.ts'
import { platformCommand } from './platform-command.ts'
import { pluginCommands } from './plugin-commands.ts'
import { reasoningCommand } from './reasoning-command.ts'
import { rollbackCommand } from './rollback-command.ts'
import { sayRows } from './say-rows.ts'
import { compressCommand, newCommand, resumeCommand, stopCommand, titleCommand, usageCommand } from './session-commands.ts'
import type { SlashCommand, SlashSurface, TermRow } from './slash.ts'
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

const exitCommand: SlashCommand = {
  name: 'exit',
  aliases: ['quit', 'q'],
  args: '',
  summary: 'Leave the chat',
  surfaces: ['cli'],
  run: ({ door }) => door.leave?.(),
}

const helpCommand: SlashCommand = {
  name: 'help',
  aliases: [],
  args: '',
  summary: 'List the commands',
  surfaces: both,
  run: ({ door, services }) =>
    sayRows(
      door,
      offeredCommands(services.catalog, door.surface)
        .filter((command) => door.chat?.mayUse(command) !== false)
        .map(describeCommand),
    ),
}

/** Every slash command of agent itself. */
export const slashTable: readonly SlashCommand[] = [
  newCommand,
  resumeCommand,
  stopCommand,
  titleCommand,
  usageCommand,
  compressCommand,
  modelCommand,
  toolsCommand,
  pluginsCommand,
  platformCommand,
  reasoningCommand,
  memoryCommand,
  rollbackCommand,
  ...chatCommands,
  helpCommand,
  versionCommand,
  exitCommand,
]

/** Names that no plugin may use for its commands. */
export const ownNames: readonly string[] = slashTable.flatMap(({ name, aliases }) => [name, ...aliases])

/** The commands of now, agent's own first. The terminal, the gateway's help and the command menus of platforms are made from this list. */
export function allCommands(catalog: Pick<Catalog, 'of'>): readonly SlashCommand[] {
  return [...slashTable, ...pluginCommands(catalog)]
}

/** The commands of a surface. */
export function offeredCommands(catalog: Pick<Catalog, 'of'>, surface: SlashSurface): readonly SlashCommand[] {
  return allCommands(catalog).filter((command) => command.surfaces.includes(surface))
}

function describeCommand({ name, aliases, args, summary }: SlashCommand): TermRow {
  const words = [name, ...aliases].map((word) => `/${word}`).join(', ')
  return [`${words}${args && ` ${args}`}`, summary]
}
