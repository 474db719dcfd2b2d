import type { Catalog } from '#kernel/catalog/catalog.ts'
import { blueprintCommand } from './blueprint-command.ts'
import { chatCommands } from './chat-commands.ts'
import { cronCommand } from './cron-command.ts'
import { memoryCommand } from './memory-command.ts'
import { modelCommand } from './model-command.ts'
import { platformCommand } from './platform-command.ts'
import { pluginCommands } from './plugin-commands.ts'
import { reasoningCommand } from './reasoning-command.ts'
import { rollbackCommand } from './rollback-command.ts'
import { sayRows } from './say-rows.ts'
import { branchCommand, compressCommand, newCommand, resumeCommand, stopCommand, titleCommand, usageCommand } from './session-commands.ts'
import { hiddenSkills, skillCommands, skillsCommand } from './skill-commands.ts'
import {
  type ParsedSlash,
  parseSlash,
  type SlashCommand,
  type SlashDoor,
  type SlashServices,
  type SlashSurface,
  type TermRow,
} from './slash.ts'
import { pluginsCommand, toolsCommand } from './tools-command.ts'
import { undoCommand } from './undo-command.ts'

const both = ['cli', 'gateway'] as const

const versionCommand: SlashCommand = {
  name: 'version',
  aliases: [],
  args: '',
  summary: 'Say which version of agent this is',
  surfaces: both,
  run: ({ door, services }) => door.say(`agent ${services.version}`),
}

/** It is the owner's: it changes the program for everybody. Nobody can be asked while it runs, so it does what the settings say. */
const updateCommand: SlashCommand = {
  name: 'update',
  aliases: [],
  args: '[check]',
  summary: 'Bring the program to its newest version, or say what is new',
  surfaces: ['cli', 'gateway'],
  adminOnly: true,
  run: async ({ args, door, services }) => {
    const word = args.trim().toLowerCase()
    if (word !== '' && word !== 'check') return door.say('/update takes check, or nothing.')
    door.say(await door.run('/update', (signal) => services.update(word === '' ? 'bring' : 'check', signal)))
  },
}

/** It is the owner's: the servers are those of everybody. */
const reloadMcpCommand: SlashCommand = {
  name: 'reload-mcp',
  aliases: ['reload_mcp'],
  args: '',
  summary: 'Connect the MCP servers again, and say what each has',
  surfaces: ['cli', 'gateway'],
  adminOnly: true,
  run: async ({ door, services }) => door.say(await door.run('/reload-mcp', (signal) => services.reloadTools(signal))),
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
  args: '[skills]',
  summary: 'List the commands, or the skills that can be given like one',
  surfaces: both,
  run: ({ args, door, services }) => {
    const skills = offeredSkills(services, door)
    if (args.toLowerCase() === 'skills')
      return skills.length === 0 ? door.say('There are no skills here.') : sayRows(door, skills.map(describeCommand))
    const rows = offeredCommands(services.catalog, door.surface).filter(mayUse(door)).map(describeCommand)
    const more: TermRow = ['/<skill> [text]', `Work by a skill; /help skills lists all ${skills.length}`]
    sayRows(door, skills.length === 0 ? rows : [...rows, more])
  },
}

const mayUse =
  ({ chat }: Pick<SlashDoor, 'chat'>) =>
  (command: SlashCommand): boolean =>
    chat?.mayUse(command) !== false

function offeredSkills({ catalog, skills }: SlashGround, door: Pick<SlashDoor, 'chat'>): readonly SlashCommand[] {
  return slashSkills({ catalog, skills }).filter(mayUse(door))
}

/** Every slash command of agent itself. */
export const slashTable: readonly SlashCommand[] = [
  newCommand,
  resumeCommand,
  stopCommand,
  titleCommand,
  branchCommand,
  undoCommand,
  usageCommand,
  compressCommand,
  modelCommand,
  toolsCommand,
  pluginsCommand,
  platformCommand,
  reasoningCommand,
  memoryCommand,
  skillsCommand,
  rollbackCommand,
  updateCommand,
  cronCommand,
  blueprintCommand,
  reloadMcpCommand,
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

/** Where commands and skills come from. */
export type SlashGround = Pick<SlashServices, 'skills'> & { readonly catalog: Pick<Catalog, 'of'> }

/** The skills that are offered as commands: those of this place whose name no command has. */
export function slashSkills({ catalog, skills }: SlashGround): readonly SlashCommand[] {
  const known = skills.known().filter(({ offered }) => offered)
  const hidden = new Set(hiddenSkills(known, allCommands(catalog)))
  return skillCommands({ known: () => known.filter(({ name }) => !hidden.has(name)) })
}

/** The command or the skill that a line gives; undefined where it is simply something said. */
export function findSlash({ catalog, skills }: SlashGround, line: string, surface: SlashSurface): ParsedSlash | undefined {
  return parseSlash(line, allCommands(catalog), surface, () => skillCommands(skills))
}

function describeCommand({ name, aliases, args, summary }: SlashCommand): TermRow {
  const words = [name, ...aliases].map((word) => `/${word}`).join(', ')
  return [`${words}${args && ` ${args}`}`, summary]
}
