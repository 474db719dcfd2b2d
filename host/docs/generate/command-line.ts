import type { Command } from 'commander'
import { openCommandTree } from '#cli/command-tree.ts'
import { slashTable } from '#commands/slash-table.ts'
import { code, formatPage, formatTable, type Page } from './markdown.ts'
import { effectOfOption } from './without-effect.ts'

/** Every command of the program with its arguments and options. */
export async function describeCommandLine(): Promise<Page> {
  const trees = await openCommandTree()
  return formatPage('command-line', 'Command line', [
    'Every command takes `-p <profile>`; `agent <profile> …` means the same. `agent` alone is `agent chat`. Exit codes: 0 done, 1 failed, 2 wrong use, 130 interrupted.',
    ...trees.flatMap((command) => describeCommand(command, 'agent')),
  ])
}

function describeCommand(command: Command, parent: string): readonly string[] {
  const name = `${parent} ${command.name()}`
  const names = command.registeredArguments.map((argument) => {
    const text = `${argument.name()}${argument.variadic ? '...' : ''}`
    return argument.required ? `<${text}>` : `[${text}]`
  })
  const children = visibleCommands(command)
  const rows = [
    ...command.registeredArguments.filter(({ description }) => description).map((each) => [code(each.name()), each.description]),
    ...command.options
      .filter(({ hidden }) => !hidden)
      .map(({ flags, long, description }) => [code(flags), description + effectOfOption(name, long ?? '')]),
  ]
  return [
    `${parent === 'agent' ? '##' : '###'} ${[name, ...names].join(' ').replaceAll('<', '\\<')}`,
    sentence(command.description()),
    ...(rows.length > 0 ? [formatTable(['', ''], rows)] : []),
    ...children.flatMap((child) => describeCommand(child, name)),
  ]
}

function visibleCommands(command: Command): readonly Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help')
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
}

/** Every slash command and where it can be given. */
export function describeSlashCommands(): Page {
  const places = { cli: 'terminal', gateway: 'messaging' }
  const rows = slashTable.map(({ name, aliases, args, summary, surfaces }) => [
    [name, ...aliases].map((each) => code(`/${each}`)).join(', '),
    code(args),
    summary,
    surfaces.map((surface) => places[surface]).join(', '),
  ])
  return formatPage('slash-commands', 'Slash commands', [
    "These are agent's own. Plugins bring more: `/help` lists all that can be given where it is asked.",
    formatTable(['command', 'arguments', 'what it does', 'where'], rows),
  ])
}
