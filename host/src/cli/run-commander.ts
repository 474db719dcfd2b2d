import { fail } from '@agent/plugin-sdk/errors'
import { Command, CommanderError } from 'commander'
import { nearestName } from '#kernel/nearest-name.ts'
import type { Cli } from './console/cli.ts'

/** Lets commander parse and run; its own complaints become usage errors. */
export async function runCommander(cli: Cli, make: (cli: Cli) => Command, words: readonly string[]): Promise<void> {
  const command = make(cli)
  const program = new Command('agent').addCommand(command)
  const all = [program, command, ...subcommands(command)]
  let said = ''
  for (const each of all) each.exitOverride().configureOutput({ writeOut: cli.write, writeErr: (text) => (said += text) })
  try {
    await program.parseAsync([command.name(), ...words], { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return
    // A group of commands without one of them.
    if (error.code === 'commander.help') return cli.out(said.trimEnd())
    const isProfile = /unknown option '(?:-p|--profile\b)/.test(error.message)
    const usage = findUnknown(command, words) ?? readUsage(findCommand(command, words), error)
    throw fail('USAGE', isProfile ? lateProfile(command) : usage, { cause: error })
  }
}

/** A group has one command that may be meant without its name: a word that it does not take was meant for another one. */
function findUnknown(group: Command, [word = '-']: readonly string[]): { readonly problem: string; readonly try: string } | undefined {
  const names = ['help', ...group.commands.flatMap((each) => [each.name(), ...each.aliases()])]
  if (group.commands.length === 0 || word.startsWith('-') || names.includes(word)) return undefined
  const nearest = nearestName(word, names)
  const problem = `agent ${group.name()} has no command "${word}".${nearest === undefined ? '' : ` Did you mean "${nearest}"?`}`
  return { problem, try: `agent ${group.name()} --help` }
}

/** The innermost command that the words name, and its whole name. */
function findCommand(group: Command, words: readonly string[]): { readonly command: Command; readonly name: string } {
  let command = group
  let name = `agent ${group.name()}`
  for (const word of words) {
    const next = command.commands.find((each) => each.name() === word || each.aliases().includes(word))
    if (next === undefined) break
    command = next
    name += ` ${next.name()}`
  }
  return { command, name }
}

function readUsage(
  { command, name }: ReturnType<typeof findCommand>,
  error: CommanderError,
): { readonly problem: string; readonly try: string } {
  const values = command.registeredArguments.map((argument) => argument.name().toUpperCase())
  // A minus and no letter behind it: a list, a certificate. It may be a secret, so it is not said.
  const isValue = error.code === 'commander.unknownOption' && !/unknown option '--?[a-z]/i.test(error.message)
  if (!isValue || values.length === 0) return { problem: sentence(error.message), try: `${name} --help` }
  return { problem: 'A value that begins with - was taken for an option; it stands behind --.', try: `${name} -- ${values.join(' ')}` }
}

/** Among the words of a command -p may be a part of them. */
function lateProfile(command: Command): { readonly problem: string; readonly try: string } {
  const problem = 'The profile stands before the words of a command; words that look like an option stand behind --.'
  return { problem, try: `agent -p NAME ${command.name()}` }
}

function subcommands(command: Command): readonly Command[] {
  return command.commands.flatMap((each) => [each, ...subcommands(each)])
}

function sentence(message: string): string {
  const text = message.replace(/^error: /, '').replaceAll('\n', ' ')
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.?!)]$/.test(text) ? '' : '.'}`
}
